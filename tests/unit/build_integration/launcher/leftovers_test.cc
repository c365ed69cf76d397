#include "build_integration/launcher/leftovers.h"

#include <ctime>

#include <gtest/gtest.h>

#include "common/base/file.h"

namespace hone {
namespace {

TEST(Leftovers, AreKnownByName) {
  EXPECT_TRUE(is_leftover_name("x-0123abcd.o.tmp", "x.o"));
  EXPECT_TRUE(is_leftover_name("x.cc-0123abcd.o.tmp", "x.cc.o"));
  EXPECT_FALSE(is_leftover_name("x.o", "x.o"));
  EXPECT_FALSE(is_leftover_name("y-0123abcd.o.tmp", "x.o"));
  EXPECT_FALSE(is_leftover_name("x-0123abcg.o.tmp", "x.o"));
  EXPECT_FALSE(is_leftover_name("x-0123abcd.o", "x.o"));
  EXPECT_FALSE(is_leftover_name("x-0123abcd0.o.tmp", "x.o"));
}

TEST(Leftovers, OnlyNewOnesOfThisOutputAreRemoved) {
  const TemporaryFolder folder = *TemporaryFolder::create("leftovers-test");
  const auto make = [&](const char* name) {
    ASSERT_TRUE(write_file_atomically(folder.path() / name, ""));
  };
  make("x-0123abcd.o.tmp");
  make("y-0123abcd.o.tmp");
  make("x.o");
  remove_leftovers((folder.path() / "x.o").string(), std::time(nullptr) + 100);
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "x-0123abcd.o.tmp"));
  remove_leftovers((folder.path() / "x.o").string(), std::time(nullptr));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "x-0123abcd.o.tmp"));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "y-0123abcd.o.tmp"));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "x.o"));
}

}  // namespace
}  // namespace hone
