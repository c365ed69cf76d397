#include "common/yaml/yaml_document.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace hone {
namespace {

std::string error_of(std::string_view text) {
  const Result<YamlDocument> document = parse_yaml(text);
  return document ? "accepted" : document.error().message;
}

TEST(YamlDocument, MappingsListsAndScalarsBecomeJson) {
  const Result<YamlDocument> document = parse_yaml(
      "a: 1\n"
      "b: [x, \"2\", true, ~, 1.5]\n"
      "c:\n"
      "  d: |\n"
      "    two\n"
      "    lines\n"
      "e: {}\n"
      "f:\n");
  ASSERT_TRUE(document.has_value()) << document.error().message;
  const Json want = {{"a", 1},
                     {"b", {"x", "2", true, nullptr, 1.5}},
                     {"c", {{"d", "two\nlines\n"}}},
                     {"e", Json::object()},
                     {"f", nullptr}};
  EXPECT_EQ(document->value, want);
}

TEST(YamlDocument, LinesAreKnownByPointer) {
  const Result<YamlDocument> document = parse_yaml("a: 1\nb:\n  - x\n  - c: 2\n");
  ASSERT_TRUE(document.has_value());
  EXPECT_EQ(document->lines.at("/a"), 1);
  EXPECT_EQ(document->lines.at("/b"), 2);
  EXPECT_EQ(document->lines.at("/b/0"), 3);
  EXPECT_EQ(document->lines.at("/b/1/c"), 4);
}

TEST(YamlDocument, DuplicateKeyIsRefusedWithBothLines) {
  EXPECT_EQ(error_of("a: 1\nb: 2\na: 3\n"), "line 3: key \"a\" stands twice (first in line 1)");
  EXPECT_EQ(error_of("x:\n  a: 1\n  'a': 3\n"), "line 3: key \"a\" stands twice (first in line 2)");
}

TEST(YamlDocument, AnchorsAliasesAndMergesAreRefused) {
  EXPECT_NE(error_of("a: &x [1]\n").find("line 1: anchors"), std::string::npos);
  EXPECT_NE(error_of("a: &x 1\nb: *x\n").find("anchors"), std::string::npos);
  EXPECT_NE(error_of("a: 1\n<<: {b: 1}\n").find("line 2: merge keys"), std::string::npos);
}

TEST(YamlDocument, BillionLaughsEndsAtTheFirstAnchor) {
  EXPECT_NE(error_of("a: &a [lol,lol]\nb: &b [*a,*a]\nc: &c [*b,*b]\n").find("line 1"),
            std::string::npos);
}

TEST(YamlDocument, TagsAreRefusedButText) {
  EXPECT_NE(error_of("a: !foo 1\n").find("line 1: tag"), std::string::npos);
  EXPECT_NE(error_of("a: !foo {b: 1}\n").find("line 1: tag"), std::string::npos);
  EXPECT_EQ(parse_yaml("a: !!str 1\n")->value["a"], "1");
}

TEST(YamlDocument, KeysMustBeText) {
  EXPECT_NE(error_of("? [a, b]\n: 1\n").find("a key must be text"), std::string::npos);
  EXPECT_NE(error_of("? {a: b}\n: 1\n").find("a key must be text"), std::string::npos);
}

TEST(YamlDocument, OneDocumentOnly) {
  EXPECT_NE(error_of("a: 1\n---\nb: 2\n").find("several documents"), std::string::npos);
  EXPECT_EQ(error_of(""), "the file is empty");
  EXPECT_EQ(error_of("---\na: 1\n"), "accepted");
}

TEST(YamlDocument, MalformedTextNamesTheLine) {
  EXPECT_EQ(error_of("a: 1\nb: [1, 2\nc: 3\n").rfind("line ", 0), 0U);
}

TEST(YamlDocument, DepthAndSizeAreLimited) {
  EXPECT_NE(error_of(std::string(100, '[') + std::string(100, ']')).find("nested deeper"),
            std::string::npos);
  EXPECT_EQ(error_of(std::string(100000, '[')).rfind("line ", 0), 0U);
  EXPECT_EQ(parse_yaml(std::string(kMaxYamlBytes + 1, ' ')).error().code, ErrorCode::too_large);
}

TEST(YamlDocument, ErrorsGetTheLineOfTheFieldOrItsParent) {
  const YamlDocument document = *parse_yaml("a: 1\nb:\n  c: 2\n");
  const Error error{ErrorCode::invalid_argument,
                    "bad",
                    {{"/b/c", "is wrong"}, {"/b/missing", "is missing"}, {"/none", "is missing"}}};
  const Error located = with_lines(error, document);
  EXPECT_EQ(located.fields[0].detail, "line 3: is wrong");
  EXPECT_EQ(located.fields[1].detail, "line 2: is missing");
  EXPECT_EQ(located.fields[2].detail, "line 1: is missing");
}

}  // namespace
}  // namespace hone
