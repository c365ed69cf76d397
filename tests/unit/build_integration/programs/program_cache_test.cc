#include "build_integration/programs/program_cache.h"

#include <atomic>
#include <cstdlib>
#include <thread>

#include <gtest/gtest.h>

#include "common/base/file.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

class ProgramCacheTest : public ::testing::Test {
 protected:
  Result<fs::path> put(ProgramCache& cache, const std::string& name, std::size_t bytes) {
    return cache.get(name, [&](const fs::path& path) -> Result<void> {
      ++made_;
      return write_file_atomically(path, std::string(bytes, 'x'));
    });
  }
  // As if it had been used a while ago.
  static void age(const fs::path& path, int hours) {
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(hours));
  }
  TemporaryFolder folder_ = *TemporaryFolder::create("hone-cache-test-");
  int made_ = 0;
};

TEST_F(ProgramCacheTest, AnEntryIsMadeOnce) {
  ProgramCache cache(folder_.path() / "deep/er", 1000);
  const fs::path first = *put(cache, "a", 10);
  EXPECT_EQ(*put(cache, "a", 10), first);
  EXPECT_EQ(made_, 1);
  EXPECT_EQ(fs::file_size(first), 10U);
}

TEST_F(ProgramCacheTest, WhatFailsLeavesNothing) {
  ProgramCache cache(folder_.path(), 1000);
  const auto failed = cache.get("a", [](const fs::path& path) -> Result<void> {
    fs::create_directories(path / "half");
    return fail(ErrorCode::timed_out, "too slow");
  });
  EXPECT_EQ(failed.error().code, ErrorCode::timed_out);
  EXPECT_FALSE(fs::exists(folder_.path() / "a"));
  EXPECT_FALSE(fs::exists(folder_.path() / "a.part"));
  EXPECT_TRUE(put(cache, "a", 1));
}

TEST_F(ProgramCacheTest, WhatWasUsedLongestAgoGoesFirst) {
  ProgramCache cache(folder_.path(), 100);
  age(*put(cache, "old", 40), 3);
  age(*put(cache, "older", 40), 4);
  age(*put(cache, "older", 40), 2);  // used again
  ASSERT_TRUE(put(cache, "new", 40));
  EXPECT_FALSE(fs::exists(folder_.path() / "old"));
  EXPECT_TRUE(fs::exists(folder_.path() / "older"));
  // Even if it is too large by itself, what was made last stays.
  ASSERT_TRUE(put(cache, "huge", 400));
  EXPECT_TRUE(fs::exists(folder_.path() / "huge"));
  EXPECT_FALSE(fs::exists(folder_.path() / "new"));
}

TEST_F(ProgramCacheTest, NothingIsMadeWhileSomebodyIsAlone) {
  ProgramCache cache(folder_.path(), 100);
  std::thread other;
  std::atomic<bool> made = false;
  ASSERT_TRUE(cache.alone([&]() -> Result<void> {
    other = std::thread([&] {
      EXPECT_TRUE(put(cache, "a", 1));
      made = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_FALSE(made);
    return {};
  }));
  other.join();
  EXPECT_TRUE(made);
}

TEST_F(ProgramCacheTest, IsWhereTheEnvironmentSays) {
  setenv("XDG_CACHE_HOME", "/x/cache", 1);
  EXPECT_EQ(ProgramCache::of_environment()->folder(), "/x/cache/hone");
  setenv("XDG_CACHE_HOME", "relative", 1);
  setenv("HOME", "/x/home", 1);
  EXPECT_EQ(ProgramCache::of_environment()->folder(), "/x/home/.cache/hone");
  for (const char* text : {"0", "", "many", "-1", "12x"}) {
    setenv("HONE_PROGRAM_CACHE_MIB", text, 1);
    const auto cache = ProgramCache::of_environment();
    ASSERT_FALSE(cache) << text;
    EXPECT_NE(cache.error().message.find("'" + std::string(text) + "'"), std::string::npos);
  }
  unsetenv("HONE_PROGRAM_CACHE_MIB");
}

}  // namespace
}  // namespace hone
