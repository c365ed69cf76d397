#include "server/backup/restored_numbers.h"

#include <limits>

#include <gtest/gtest.h>

namespace hone {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::system_clock;

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

system_clock::time_point noon() {
  return std::chrono::sys_days{std::chrono::year{2026} / 11 / 29} + hours(12);
}

TEST(RestoredNumbers, AnEpochIsAboveThatOfTheBackupAndOfEarlierRestores) {
  const std::uint32_t first = *restored_epoch(0, noon());
  EXPECT_GT(first, 0U);
  EXPECT_GT(*restored_epoch(0, noon() + seconds(1)), first) << "the same backup once more";
  EXPECT_EQ(*restored_epoch(first, noon()), first + 1) << "a backup of what was just restored";
  EXPECT_EQ(*restored_epoch(first, noon() - hours(24)), first + 1) << "the clock was set back";
  EXPECT_EQ(*restored_epoch(7, system_clock::time_point()), 8U) << "the clock knows nothing";
}

TEST(RestoredNumbers, BehindTheLastEpochThereIsNone) {
  EXPECT_EQ(*restored_epoch(kNone - 2, noon()), kNone - 1);
  EXPECT_EQ(restored_epoch(kNone - 1, noon()).error().code, ErrorCode::unsupported);
}

TEST(RestoredNumbers, TheGapGrowsWithTheClock) {
  const std::int64_t gap = restored_policy_gap(noon());
  EXPECT_GT(gap, 1'000'000);
  EXPECT_EQ(restored_policy_gap(noon() + milliseconds(1500)), gap + 1500);
  // A policy's number is a JSON number, exact up to 2^53.
  EXPECT_LT(restored_policy_gap(noon() + hours(24 * 365 * 100)), std::int64_t{1} << 42U);
  EXPECT_EQ(restored_policy_gap(system_clock::time_point()), 1'000'000);
}

}  // namespace
}  // namespace hone
