#include "common/json/document.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace hone {
namespace {

std::string refusal(std::string_view text, const JsonLimits& limits = {}) {
  const Result<Json> result = parse_json(text, limits);
  return result.has_value() ? "accepted" : result.error().message;
}

TEST(ParseJson, ReadsEveryKindOfValue) {
  const Result<Json> document = parse_json(R"({"a":[1,-2,3.5,true,null,"x\n"],"b":{"c":{}}})");
  ASSERT_TRUE(document) << document.error().message;
  EXPECT_EQ(dump_json(*document), R"({"a":[1,-2,3.5,true,null,"x\n"],"b":{"c":{}}})");
}

TEST(ParseJson, RefusesADuplicateKeyWhereverItStands) {
  EXPECT_EQ(refusal(R"({"a":1,"a":2})"), "the key \"a\" stands twice in the document");
  EXPECT_EQ(refusal(R"({"x":[0,{"a":1,"b":{"c":1},"a":2}]})"),
            "the key \"a\" stands twice in /x/1");
}

TEST(ParseJson, TheSameKeyInTwoObjectsIsFine) {
  EXPECT_EQ(refusal(R"([{"a":1},{"a":2},{"b":{"a":1},"a":2}])"), "accepted");
}

TEST(ParseJson, NamesThePositionOfASyntaxError) {
  EXPECT_EQ(refusal("{\"a\":}").find("not JSON at byte 6"), 0U) << refusal("{\"a\":}");
  EXPECT_NE(refusal(""), "accepted");
  EXPECT_NE(refusal("{} x"), "accepted");
  EXPECT_NE(refusal("[1,]"), "accepted");
  EXPECT_NE(refusal("{'a':1}"), "accepted");
  EXPECT_NE(refusal("NaN"), "accepted");
  EXPECT_NE(refusal("/* c */ 1"), "accepted");
}

TEST(ParseJson, RefusesBytesThatAreNotUtf8) {
  EXPECT_NE(refusal("\"\xff\""), "accepted");
}

TEST(ParseJson, RefusesANumberPastADouble) {
  EXPECT_NE(refusal("1e999"), "accepted");
}

TEST(ParseJson, LimitsDepthAndSize) {
  EXPECT_EQ(refusal("[[[1]]]", {.depth = 3}), "accepted");
  EXPECT_EQ(refusal("[[[[1]]]]", {.depth = 3}), "nested deeper than 3 levels");
  EXPECT_EQ(parse_json("[1,2,3]", {.bytes = 6}).error().code, ErrorCode::too_large);
  EXPECT_NE(refusal(std::string(1000000, '[')), "accepted");
}

TEST(HoldsNul, LooksIntoEveryTextAndKey) {
  for (const char* const with :
       {R"("\u0000")", R"({"a":[1,{"b":"x\u0000y"}]})", R"({"a":{"k\u0000":1}})"}) {
    EXPECT_TRUE(holds_nul(*parse_json(with))) << with;
  }
  for (const char* const without : {R"("\\u0000")", R"({"a":[1,{"b":"\u0001"}]})", "0", "[]"}) {
    EXPECT_FALSE(holds_nul(*parse_json(without))) << without;
  }
}

TEST(DumpJson, EqualDocumentsGiveEqualBytes) {
  EXPECT_EQ(dump_json(*parse_json(R"({"b":1, "a":2})")),
            dump_json(*parse_json(R"({"a":2,"b":1})")));
}

}  // namespace
}  // namespace hone
