#include "common/protocol/names.h"

#include <string>

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(Names, NamesAndPaths) {
  EXPECT_TRUE(is_valid_name("a"));
  EXPECT_TRUE(is_valid_name("0.x_y-z"));
  EXPECT_TRUE(is_valid_name(std::string(63, 'a')));
  for (const std::string& bad : {std::string(), std::string("-a"), std::string("A"),
                                 std::string("a/b"), std::string(64, 'a')}) {
    EXPECT_FALSE(is_valid_name(bad)) << bad;
  }
  EXPECT_TRUE(is_safe_relative_path("."));
  EXPECT_TRUE(is_safe_relative_path("a/..b/c"));
  for (const std::string_view bad : {"", "/a", "a//b", "a/", "..", "a/../b"}) {
    EXPECT_FALSE(is_safe_relative_path(bad)) << bad;
  }
}

}  // namespace
}  // namespace hone
