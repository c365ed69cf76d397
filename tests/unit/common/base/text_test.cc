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

TEST(Text, Utf8SizeIsZeroForWhatIsNone) {
  EXPECT_EQ(utf8_size("a"), 1U);
  EXPECT_EQ(utf8_size("\xc3\xa9x"), 2U);
  EXPECT_EQ(utf8_size("\xe2\x82\xac"), 3U);
  EXPECT_EQ(utf8_size("\xf0\x9f\x98\x80"), 4U);
  // Cut off, overlong, a surrogate, past the last character, a byte in the middle.
  for (const char* text : {"\xe2\x82", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "",
                           "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\x80"}) {
    EXPECT_EQ(utf8_size(text), 0U) << text;
  }
}

}  // namespace
}  // namespace hone
