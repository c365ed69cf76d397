#include "common/base/text.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(Text, SplitKeepsEmptyPieces) {
  EXPECT_EQ(split("a,,b", ','), (std::vector<std::string_view>{"a", "", "b"}));
  EXPECT_EQ(split("", ','), (std::vector<std::string_view>{""}));
}

TEST(Text, JoinIsTheReverse) {
  EXPECT_EQ(join({"a", "", "b"}, ","), "a,,b");
  EXPECT_EQ(join({}, ","), "");
}

TEST(Text, TrimTakesBlanksOffBothEnds) {
  EXPECT_EQ(trim(" \t a b \n"), "a b");
  EXPECT_EQ(trim(" \n"), "");
}

TEST(Text, GlobMatchesTheWholeText) {
  EXPECT_TRUE(matches_glob("*", ""));
  EXPECT_TRUE(matches_glob("lib/*.c", "lib/lz4.c"));
  EXPECT_TRUE(matches_glob("lib/*.c", "lib/deep/lz4.c"));
  EXPECT_FALSE(matches_glob("lib/*.c", "lib/lz4.cc"));
  EXPECT_TRUE(matches_glob("l?b/*a*b*", "lib/xxaxxbxx"));
  EXPECT_FALSE(matches_glob("", "x"));
  EXPECT_FALSE(matches_glob("?", ""));
}

TEST(Text, GlobIsNotExponential) {
  const std::string text(5000, 'a');
  std::string pattern;
  for (int i = 0; i < 50; ++i) {
    pattern += "*a";
  }
  EXPECT_FALSE(matches_glob(pattern + "b", text));
}

}  // namespace
}  // namespace hone
