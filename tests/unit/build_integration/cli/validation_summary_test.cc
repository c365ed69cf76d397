#include "build_integration/cli/validation_summary.h"

#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace hone {
namespace {

ValidationResult result(double reward, double walltime) {
  ValidationResult made;
  made.state = {.benchmark = "benchmark://cbench-v1/crc32",
                .reward = reward,
                .walltime = walltime,
                .commandline = "opt"};
  made.reward_validated = true;
  return made;
}

TEST(ValidationLine, IsCompilerGyms) {
  ValidationResult one = result(0.25, 1);
  EXPECT_EQ(validation_line(one), "✅  cbench-v1/crc32  0.2500");
  one.state.reward.reset();
  EXPECT_EQ(validation_line(one), "✅  cbench-v1/crc32");
  one.benchmark_semantics_validation_failed = true;
  one.errors = {{"Wrong output\nand more", {}}};
  EXPECT_EQ(validation_line(one), "❌  cbench-v1/crc32  Wrong output");
}

TEST(ValidationSummary, CountsWhatHoldsAndAveragesIt) {
  ValidationSummary summary("IrInstructionCountOz", true);
  summary.add(result(1, 1));
  summary.add(result(4, 3));
  ValidationResult failed = result(100, 100);
  failed.reward_validation_failed = true;
  summary.add(failed);
  summary.add_unreadable();
  const Json json = summary.json();
  EXPECT_EQ(json["states"], 4);
  EXPECT_EQ(json["validated"], 2);
  EXPECT_EQ(json["failed"], 1);
  EXPECT_EQ(json["unreadable"], 1);
  EXPECT_DOUBLE_EQ(json["mean_reward"].get<double>(), 2);
  EXPECT_DOUBLE_EQ(json["mean_walltime"].get<double>(), 2);
  EXPECT_DOUBLE_EQ(json["reward_deviation"].get<double>(), 1.5);
  EXPECT_NE(summary.text().find("Number of validated results: 2 of 4\n"), std::string::npos);
  EXPECT_NE(summary.text().find("Geometric mean IrInstructionCountOz: 2.000 (std: 1.500)\n"),
            std::string::npos)
      << summary.text();
}

TEST(ValidationSummary, RewardsBelowZeroCountAsZeroOfAGeometricMean) {
  ValidationSummary geometric("r", true);
  ValidationSummary arithmetic("r", false);
  for (const double reward : {-1.0, 4.0}) {
    geometric.add(result(reward, 1));
    arithmetic.add(result(reward, 1));
  }
  EXPECT_EQ(geometric.json()["mean_reward"], 0.0);
  EXPECT_EQ(arithmetic.json()["mean_reward"], 1.5);
  EXPECT_EQ(ValidationSummary("r", true).json()["mean_reward"], 0.0);
}

}  // namespace
}  // namespace hone
