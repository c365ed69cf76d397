#include "common/base/words.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

using Words = std::vector<std::string>;

TEST(SplitWords, QuotesAndBackslashesHoldWordsTogether) {
  EXPECT_EQ(*split_words(" cc  -DA='x y' -DB=\"a \\\"b\\\" \\n\" c\\ d.c\t"),
            (Words{"cc", "-DA=x y", "-DB=a \"b\" \\n", "c d.c"}));
  EXPECT_EQ(*split_words("a '' b"), (Words{"a", "", "b"}));
  EXPECT_EQ(*split_words(" \n "), Words());
}

TEST(SplitWords, ExpandsNothing) {
  EXPECT_EQ(*split_words("$HOME `id` $(id) * ; x"),
            (Words{"$HOME", "`id`", "$(id)", "*", ";", "x"}));
}

TEST(SplitWords, RefusesWhatDoesNotEnd) {
  EXPECT_EQ(split_words("a 'b").error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(split_words("a \"b").error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(split_words("a b\\").error().code, ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace hone
