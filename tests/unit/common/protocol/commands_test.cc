#include "common/protocol/commands.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(Expand, ReplacesWordsOnce) {
  const std::vector<Placeholder> words = {{"{source}", "/s"}, {"{input}", "{source}"}};
  const Result<Arguments> done =
      expand({"{source}/x", "a{input}b{input}", "{{source}", "{}"}, words);
  ASSERT_TRUE(done.has_value());
  EXPECT_EQ(*done, (Arguments{"/s/x", "a{source}b{source}", "{source}", "{}"}));
}

TEST(Expand, UnknownWordIsNamed) {
  const Result<Arguments> done = expand({"x", "{jobs}"}, {});
  ASSERT_FALSE(done.has_value());
  EXPECT_NE(done.error().message.find("{jobs}"), std::string::npos);
}

}  // namespace
}  // namespace hone
