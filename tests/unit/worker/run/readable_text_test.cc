#include "worker/run/readable_text.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

using namespace std::string_view_literals;

TEST(ReadableText, TextStaysAsItIs) {
  for (const std::string_view text :
       {""sv, "plain\tand\nlines\x1b[1m"sv, "ä€😀"sv, "\xf4\x8f\xbf\xbf"sv}) {
    EXPECT_EQ(readable_text(text, 100), text);
  }
}

TEST(ReadableText, EachByteOfNoCharacterBecomesAQuestionMark) {
  EXPECT_EQ(readable_text("a\0b"sv, 100), "a?b");
  EXPECT_EQ(readable_text("\xff\xfe ok", 100), "?? ok");
  EXPECT_EQ(readable_text("\x80x\xc3(", 100), "?x?(");
  EXPECT_EQ(readable_text("\xc0\xaf", 100), "??");            // overlong
  EXPECT_EQ(readable_text("\xe0\x80\xaf", 100), "???");       // overlong
  EXPECT_EQ(readable_text("\xed\xa0\x80", 100), "???");       // half a surrogate pair
  EXPECT_EQ(readable_text("\xf4\x90\x80\x80", 100), "????");  // past the last character
}

TEST(ReadableText, ACharacterCutByTheLimitGoesToo) {
  EXPECT_EQ(readable_text("aä", 2), "a?");
  EXPECT_EQ(readable_text("aä", 3), "aä");
  EXPECT_EQ(readable_text("abc", 2), "ab");
}

}  // namespace
}  // namespace hone
