#include "common/json/object_reader.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace hone {
namespace {

enum class Colour { red, blue };
std::optional<Colour> parse_colour(std::string_view text) {
  if (text == "red") {
    return Colour::red;
  }
  return text == "blue" ? std::optional(Colour::blue) : std::nullopt;
}

// The problems of reading `text` with `read`, one a line.
std::string problems_of(const char* text, const std::function<void(ObjectReader&)>& read,
                        UnknownKeys unknown = UnknownKeys::refuse) {
  const Json document = *parse_json(text);
  Problems problems;
  ObjectReader reader(document, "", problems, unknown);
  read(reader);
  reader.finish();
  std::string lines;
  for (const FieldProblem& problem : problems.list()) {
    lines += problem.pointer + ": " + problem.detail + "\n";
  }
  return lines;
}

TEST(ObjectReader, ReadsTypedValues) {
  const Json document = *parse_json(
      R"({"t":"x","i":7,"n":0.5,"b":true,"c":"blue","l":["p","q"],"o":{"k":1},"e":[{"k":2},{"k":3}]})");
  Problems problems;
  ObjectReader reader(document, "", problems, UnknownKeys::refuse);
  EXPECT_EQ(reader.text("t"), "x");
  EXPECT_EQ(reader.integer("i", 0, 10), 7);
  EXPECT_EQ(reader.number("n", 0, 1), 0.5);
  EXPECT_TRUE(reader.truth("b"));
  EXPECT_EQ(reader.one_of<Colour>("c", parse_colour, "red, blue"), Colour::blue);
  EXPECT_EQ(reader.text_list("l", 5), (std::vector<std::string>{"p", "q"}));
  std::int64_t sum = 0;
  reader.object("o", [&](ObjectReader& nested) { sum += nested.integer("k", 0, 9); });
  reader.each("e", 5, [&](ObjectReader& nested) { sum += nested.integer("k", 0, 9); });
  reader.finish();
  EXPECT_EQ(sum, 6);
  EXPECT_TRUE(problems.empty());
}

TEST(ObjectReader, NothingIsConverted) {
  EXPECT_EQ(problems_of(R"({"i":3.7,"t":1,"n":"1","b":1})",
                        [](ObjectReader& reader) {
                          reader.integer("i", 0, 10);
                          reader.text("t");
                          reader.number("n", 0, 1);
                          reader.truth("b");
                        }),
            "/i: must be a whole number from 0 to 10, not 3.7\n"
            "/t: must be a text, not 1\n"
            "/n: must be a number from 0.0 to 1.0, not \"1\"\n"
            "/b: must be true or false, not 1\n");
}

TEST(ObjectReader, EveryProblemIsReportedAtOnce) {
  EXPECT_EQ(
      problems_of(R"({"o":{"x/y":1},"e":[{"k":1},{"k":-1}],"c":"green"})",
                  [](ObjectReader& reader) {
                    reader.text("missing");
                    reader.one_of<Colour>("c", parse_colour, "red, blue");
                    reader.object("o", [](ObjectReader& nested) { nested.optional_text("z"); });
                    reader.each("e", 9, [](ObjectReader& nested) { nested.integer("k", 0, 9); });
                  }),
      "/missing: is missing\n"
      "/c: \"green\" is not one of red, blue\n"
      "/o/x~1y: unknown key; known are: z\n"
      "/e/1/k: must be from 0 to 9, not -1\n");
}

TEST(ObjectReader, NumbersPastTheirTypeAreRefused) {
  EXPECT_EQ(problems_of(R"({"i":18446744073709551615})",
                        [](ObjectReader& reader) { reader.integer("i", -1, INT64_MAX); }),
            "/i: must be from -1 to 9223372036854775807, not 18446744073709551615\n");
}

TEST(ObjectReader, TextHasLimitsAndNoNul) {
  EXPECT_EQ(problems_of(R"({"a":"","b":"12345","c":"x\u0000y"})",
                        [](ObjectReader& reader) {
                          reader.text("a");
                          reader.text("b", {.max_size = 4});
                          reader.text("c");
                        }),
            "/a: must have 1 to 4096 bytes, has 0\n"
            "/b: must have 1 to 4 bytes, has 5\n"
            "/c: must not hold a NUL character\n");
}

TEST(ObjectReader, AListNamesTheBadItem) {
  EXPECT_EQ(problems_of(R"({"l":["a",2]})", [](ObjectReader& reader) { reader.text_list("l", 5); }),
            "/l/1: must be a text of 1 to 4096 bytes, not 2\n");
  EXPECT_EQ(
      problems_of(R"({"l":["a","b"]})", [](ObjectReader& reader) { reader.text_list("l", 1); }),
      "/l: must be a list of at most 1 texts\n");
}

TEST(ObjectReader, UnknownKeysAreIgnoredBetweenOurPrograms) {
  EXPECT_EQ(problems_of(
                R"({"new":1,"o":{"newer":2}})",
                [](ObjectReader& reader) { reader.object("o", [](ObjectReader&) {}); },
                UnknownKeys::ignore),
            "");
}

TEST(ObjectReader, NullIsAbsent) {
  EXPECT_EQ(problems_of(R"({"a":null,"b":null})",
                        [](ObjectReader& reader) {
                          EXPECT_FALSE(reader.optional_integer("a", 0, 1).has_value());
                          reader.integer("b", 0, 1);
                        }),
            "/b: is missing\n");
}

TEST(ObjectReader, SomethingElseThanAnObjectIsOneProblem) {
  EXPECT_EQ(problems_of("[1]", [](ObjectReader& reader) { reader.text("a"); }),
            ": must be an object, not array\n");
}

}  // namespace
}  // namespace hone
