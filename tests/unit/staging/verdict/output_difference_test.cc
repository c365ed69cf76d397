#include "staging/verdict/output_difference.h"

#include <gtest/gtest.h>

#include "common/base/sha256.h"

namespace hone {
namespace {

WrittenOutput text_of(const std::string& text, std::size_t kept = SIZE_MAX) {
  WrittenOutput output;
  output.sha256 = sha256_hex(text);
  output.bytes = text.size();
  output.text = text.substr(0, kept);
  return output;
}

// Of standard output alone; "" if there is no difference.
std::string detail(const WrittenOutput& reference, const WrittenOutput& made,
                   const std::optional<Tolerance>& tolerance = std::nullopt) {
  const auto found = find_difference({reference}, {made}, tolerance);
  return found ? found->detail : "";
}
std::string detail(const std::string& reference, const std::string& made,
                   const std::optional<Tolerance>& tolerance = std::nullopt) {
  return detail(text_of(reference), text_of(made), tolerance);
}

TEST(OutputDifference, NamesTheLineAndBothValues) {
  EXPECT_EQ(detail("a\nb\n", "a\nb\n"), "");
  EXPECT_EQ(detail("a\nb 1\nc\n", "a\nb 2\nc\n"), "line 2 (from byte 4): 'b 2', not 'b 1'");
  EXPECT_EQ(detail("a\nb 1\n", "a\nb 1.5\n", Tolerance{1e-3, 0}),
            "line 2 (from byte 4): 'b 1.5', not 'b 1'");
  EXPECT_EQ(detail("1.0\n", "1\n", Tolerance{1e-3, 0}), "");
}

TEST(OutputDifference, ShowsWhichOneEnds) {
  EXPECT_EQ(detail("a\nb\n", "a\n"), "line 2 (from byte 2): the end, not 'b'");
  EXPECT_EQ(detail("", "a\n"), "line 1 (from byte 0): 'a', not the end");
  EXPECT_EQ(detail("a\n", "a"), "line 1 (from byte 1): 'a', not 'a\\n'");
}

TEST(OutputDifference, WhatIsShownIsShortAndPrintable) {
  const std::string start(1000, 'x');
  const std::string end(1000, 'y');
  const std::string found = detail(start + "1" + end, start + "2" + end);
  EXPECT_TRUE(found.starts_with("line 1 (from byte 1000): '...xxx")) << found;
  EXPECT_NE(found.find("x2y"), std::string::npos) << found;
  EXPECT_NE(found.find("not '...xxx"), std::string::npos) << found;
  EXPECT_LT(found.size(), 250U);
  EXPECT_EQ(detail(std::string("a\0\x1b[31m\xff", 8), "a\xc3\xa9\xc2\x9b"),
            "line 1 (from byte 1): 'a\xc3\xa9\\xc2\\x9b', not 'a\\x00\\x1b[31m\\xff'");
}

TEST(OutputDifference, APartThatWasNotKeptIsToldByItsHash) {
  const std::string found = detail(text_of("aaaa1", 3), text_of("aaaa2", 3));
  EXPECT_TRUE(found.starts_with("after its first 3 bytes, SHA-256 ")) << found;
  EXPECT_NE(found.find(sha256_hex("aaaa2") + ", not " + sha256_hex("aaaa1")), std::string::npos)
      << found;
  EXPECT_TRUE(detail(text_of("aaaa1", 3), text_of("aaaa2")).starts_with("after its first 3 bytes"));
  EXPECT_TRUE(detail(text_of("aaaa1"), text_of("aaaa2", 3)).starts_with("after its first 3 bytes"));
  EXPECT_EQ(detail(text_of("ab1", 2), text_of("ac1", 2)), "line 1 (from byte 1): 'ac', not 'ab'");
}

TEST(OutputDifference, FilesAreMatchedByName) {
  const auto file = [](const std::string& name, const std::string& text) {
    WrittenOutput output = text_of(text);
    output.kind = OutputKind::file;
    output.name = name;
    return output;
  };
  const std::vector<WrittenOutput> both = {text_of("x"), file("a", "1"), file("c", "3")};
  EXPECT_FALSE(find_difference(both, both, std::nullopt).has_value());
  auto found = find_difference(both, {text_of("x"), file("c", "3")}, std::nullopt);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->output, "file 'a'");
  EXPECT_EQ(found->detail, "it is missing");
  found = find_difference(both, {text_of("x"), file("a", "1"), file("b\x1b", ""), file("c", "3")},
                          std::nullopt);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->output, "file 'b\\x1b'");
  found = find_difference(both, {text_of("x"), file("a", "1"), file("c", "4")}, std::nullopt);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->output, "file 'c'");
  EXPECT_EQ(found->detail, "line 1 (from byte 0): '4', not '3'");
}

}  // namespace
}  // namespace hone
