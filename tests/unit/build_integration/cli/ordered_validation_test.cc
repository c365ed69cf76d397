#include "build_integration/cli/ordered_validation.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

namespace hone {
namespace {

ValidationResult result_of(std::size_t index) {
  ValidationResult result;
  result.walltime = static_cast<double>(index);
  return result;
}

TEST(OrderedValidation, TellsInOrderWhatIsDoneAtOnce) {
  std::atomic<int> at_work = 0;
  std::atomic<int> most = 0;
  const StateTask task = [&](std::size_t index) -> Result<ValidationResult> {
    const int now = ++at_work;
    for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
    }
    // The earlier ones take longer.
    std::this_thread::sleep_for(std::chrono::milliseconds(index % 3 == 0 ? 20 : 1));
    --at_work;
    return result_of(index);
  };
  std::vector<std::size_t> told;
  const auto tell = [&told](std::size_t index, const ValidationResult& result) -> Result<void> {
    EXPECT_EQ(result.walltime, static_cast<double>(index));
    told.push_back(index);
    return {};
  };
  ASSERT_TRUE(validate_in_order({task, task, task}, 20, tell, {}));
  ASSERT_EQ(told.size(), 20U);
  EXPECT_TRUE(std::ranges::is_sorted(told));
  EXPECT_GT(most, 1);
  EXPECT_LE(most, 3);
}

TEST(OrderedValidation, NobodyRunsFarAhead) {
  std::atomic<std::size_t> told = 0;
  std::atomic<std::size_t> farthest = 0;
  const StateTask task = [&](std::size_t index) -> Result<ValidationResult> {
    if (index == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    farthest = std::max(farthest.load(), index - told.load());
    return result_of(index);
  };
  const auto tell = [&told](std::size_t, const ValidationResult&) -> Result<void> {
    ++told;
    return {};
  };
  ASSERT_TRUE(validate_in_order({task, task}, 1000, tell, {}));
  EXPECT_LE(farthest, 8U);
}

TEST(OrderedValidation, AnErrorEndsIt) {
  const StateTask task = [](std::size_t index) -> Result<ValidationResult> {
    if (index == 5) {
      return fail(ErrorCode::unavailable, "gone");
    }
    return result_of(index);
  };
  std::size_t told = 0;
  const auto tell = [&told](std::size_t, const ValidationResult&) -> Result<void> {
    ++told;
    return {};
  };
  const Result<void> done = validate_in_order({task, task}, 1000, tell, {});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::unavailable);
  EXPECT_EQ(told, 5U);
  EXPECT_TRUE(validate_in_order({task}, 0, tell, {}));
}

}  // namespace
}  // namespace hone
