#include "common/sessions/validation_result.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace hone {
namespace {

TEST(ValidationResult, HasCompilerGymsFields) {
  ValidationResult result;
  result.errors.push_back({"Wrong output", {{"run", 1}}});
  const Json record = to_json(result);
  for (const char* key : {"state", "walltime", "reward_validated", "actions_replay_failed",
                          "reward_validation_failed", "benchmark_semantics_validated",
                          "benchmark_semantics_validation_failed", "errors"}) {
    EXPECT_TRUE(record.contains(key)) << key;
  }
  EXPECT_EQ(record.size(), 8U);
  EXPECT_EQ(record["errors"][0]["type"], "Wrong output");
  EXPECT_EQ(record["state"]["reward"], nullptr);
}

TEST(ValidationResult, EachOfThreeFailuresIsOne) {
  EXPECT_TRUE(ValidationResult().ok());
  for (bool ValidationResult::* const failure :
       {&ValidationResult::actions_replay_failed, &ValidationResult::reward_validation_failed,
        &ValidationResult::benchmark_semantics_validation_failed}) {
    ValidationResult result;
    result.*failure = true;
    EXPECT_FALSE(result.ok());
  }
}

TEST(ValidationResult, ErrorsAreToldByFrequency) {
  ValidationResult result;
  EXPECT_EQ(error_details(result), "");
  result.errors = {{"a", {}}};
  EXPECT_EQ(error_details(result), "a");
  result.errors = {{"a", {}}, {"a", {}}};
  EXPECT_EQ(error_details(result), "2× a");
  result.errors = {{"a", {}}, {"b", {}}, {"b", {}}};
  EXPECT_EQ(error_details(result), "[1/2] 2× b, [2/2] a");
}

TEST(SameReward, IsCompilerGymsTolerance) {
  EXPECT_TRUE(same_reward(0, 1e-11));
  EXPECT_FALSE(same_reward(0, 1e-9));
  EXPECT_TRUE(same_reward(1000, 1000.009));
  EXPECT_FALSE(same_reward(1000, 1000.02));
  EXPECT_FALSE(same_reward(1, -1));
}

}  // namespace
}  // namespace hone
