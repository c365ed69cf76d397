#include "worker/build/measured_binaries.h"

#include <fstream>

#include <gtest/gtest.h>

#include "common/base/file.h"
#include "common/base/sha256.h"

namespace hone {
namespace {

TEST(MeasuredBinaries, FindsWhatWasAddedAfterARestartToo) {
  Result<TemporaryFolder> folder = TemporaryFolder::create("measured-test");
  ASSERT_TRUE(folder.has_value());
  const std::filesystem::path file = folder->path() / "measured.ndjson";
  const RewardEstimate reward{.value = 0.02, .low = 0.01, .high = 0.03, .pairs = 12};
  const std::string key = sha256_hex("a");
  {
    MeasuredBinaries measured(file);
    EXPECT_FALSE(measured.find(key).has_value());
    ASSERT_TRUE(measured.add(key, {"attempt-1", Verdict::faster, reward}).has_value());
    ASSERT_TRUE(measured.add(key, {"attempt-2", Verdict::slower, reward}).has_value());
  }
  // A line that a crash cut short.
  std::ofstream(file, std::ios::app) << "{\"key\":\"" << sha256_hex("b") << "\",\"att";
  MeasuredBinaries measured(file);
  ASSERT_TRUE(measured.add(sha256_hex("c"), {"attempt-3", Verdict::no_change, reward}).has_value());
  const std::optional<MeasuredBinary> found = measured.find(key);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->attempt, "attempt-1");
  EXPECT_EQ(found->verdict, Verdict::faster);
  EXPECT_EQ(found->reward, reward);
  EXPECT_FALSE(measured.find(sha256_hex("b")).has_value());
  EXPECT_TRUE(measured.find(sha256_hex("c")).has_value());
  EXPECT_FALSE(measured.find("").has_value());
}

TEST(MeasuredBinaries, ForgetsAnAttemptAndNothingElse) {
  Result<TemporaryFolder> folder = TemporaryFolder::create("measured-test");
  ASSERT_TRUE(folder.has_value());
  const std::filesystem::path file = folder->path() / "measured.ndjson";
  const RewardEstimate reward{.value = 0.02, .low = 0.01, .high = 0.03, .pairs = 12};
  MeasuredBinaries measured(file);
  const Result<bool> nothing = measured.forget("attempt-1");
  ASSERT_TRUE(nothing.has_value());
  EXPECT_FALSE(*nothing);
  ASSERT_TRUE(measured.add(sha256_hex("a"), {"attempt-1", Verdict::faster, reward}).has_value());
  ASSERT_TRUE(measured.add(sha256_hex("a"), {"attempt-2", Verdict::slower, reward}).has_value());
  ASSERT_TRUE(measured.add(sha256_hex("b"), {"attempt-3", Verdict::faster, reward}).has_value());
  const Result<bool> forgotten = measured.forget("attempt-1");
  ASSERT_TRUE(forgotten.has_value());
  EXPECT_TRUE(*forgotten);
  EXPECT_FALSE(*measured.forget("attempt-1"));
  EXPECT_EQ(measured.find(sha256_hex("a"))->attempt, "attempt-2");
  EXPECT_EQ(measured.find(sha256_hex("b"))->reward, reward);
  EXPECT_EQ(MeasuredBinaries(file).find(sha256_hex("a"))->attempt, "attempt-2");
}

}  // namespace
}  // namespace hone
