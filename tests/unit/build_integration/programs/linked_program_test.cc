#include "build_integration/programs/linked_program.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "build_integration/programs/clang_compile.h"
#include "build_integration/programs/tool.h"
#include "common/base/file.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

class LinkedProgramTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (tool_identity("clang-19").empty() || tool_identity("opt-19").empty()) {
      GTEST_SKIP() << "no clang-19 or no opt-19";
    }
    program_.uri = "test";
    program_.file = folder_.path() / "start.bc";
    program_.runs.emplace_back().limit = std::chrono::seconds(20);
    EXPECT_TRUE(write_file_atomically(program_.file, module(kWork)));
  }

  // Bitcode of a program whose work() is `body`.
  std::string module(const std::string& body) {
    const fs::path source = folder_.path() / "x.c";
    const fs::path output = folder_.path() / "x.bc";
    EXPECT_TRUE(write_file_atomically(
        source, "#include <stdio.h>\nstatic unsigned work(unsigned n) {\n" + body +
                    "\n}\nint main(void) { printf(\"%u\\n\", work(10)); return 0; }\n"));
    const auto compiled = compile_to_bitcode({source, SourceKind::c, {}, {}, output});
    EXPECT_TRUE(compiled) << compiled.error().message;
    return *read_file(output, 1 << 20);
  }
  Result<std::string> by(const std::string& pipeline) {
    ++optimised_;
    Tool tool;
    tool.packages = "llvm-19";
    const fs::path output = folder_.path() / "optimised.bc";
    tool.arguments = {"opt-19", "-passes=" + pipeline, program_.file.string(), "-o",
                      output.string()};
    HONE_CHECK(run_tool(tool));
    return read_file(output, 1 << 20);
  }
  LinkedProgram linked(LinkedSettings settings = {3, 1, 2}) {
    return {program_, settings, [this](const std::string& pipeline) { return by(pipeline); }, {}};
  }
  static ErrorCode code(const Result<double>& result) {
    return result ? ErrorCode::internal : result.error().code;
  }

  // The same sum, by ways that differ in size and time.
  static constexpr const char* kWork =
      "unsigned s = 0; for (unsigned i = 0; i < n; ++i) { s += i * i; } return s;";
  static constexpr const char* kLong =
      "unsigned s = 0; for (volatile unsigned j = 0; j < 15000000; ++j) {}"
      "for (unsigned i = 0; i < n; ++i) { s += i * i; } return s;";

  TemporaryFolder folder_ = *TemporaryFolder::create("hone-linked-test-");
  Program program_;
  int optimised_ = 0;
};

TEST_F(LinkedProgramTest, TextSizeIsThatOfTheProgramAndItsRewardsAreCompilerGyms) {
  LinkedProgram program = linked();
  const std::string start = *read_file(program_.file, 1 << 20);
  const std::string small = *by("default<Oz>");
  const Result<double> before = program.cost(Cost::text_size, start);
  const Result<double> now = program.cost(Cost::text_size, small);
  ASSERT_TRUE(before && now) << before.error().describe();
  ASSERT_GT(*before, *now);
  const auto reward = [&](RewardForm form) {
    return *program.reward({Cost::text_size, form}, start, small);
  };
  EXPECT_DOUBLE_EQ(reward(RewardForm::difference), *before - *now);
  EXPECT_DOUBLE_EQ(reward(RewardForm::norm), (*before - *now) / *before);
  EXPECT_DOUBLE_EQ(reward(RewardForm::log_ratio), std::log(*before / *now));
  EXPECT_DOUBLE_EQ(reward(RewardForm::oz), 1);
  EXPECT_DOUBLE_EQ(*program.episode_reward({Cost::text_size, RewardForm::oz}, small), 1);
  EXPECT_EQ(optimised_, 2) << "a baseline is made once";
  const Result<double> o3 = program.episode_reward({Cost::text_size, RewardForm::o3}, small);
  ASSERT_TRUE(o3);
  const double by_o3 = *program.cost(Cost::text_size, *by("default<O3>"));
  EXPECT_DOUBLE_EQ(*o3, (*before - *now) / std::max(*before - by_o3, 1.0));
}

TEST_F(LinkedProgramTest, TimesAreSamplesInSeconds) {
  LinkedProgram program = linked();
  const auto runtime = program.observe(ObservationSpace::runtime, module(kLong));
  ASSERT_TRUE(runtime) << runtime.error().describe();
  const auto& samples = std::get<std::vector<double>>(*runtime);
  EXPECT_EQ(samples.size(), 3U);
  EXPECT_GT(std::ranges::min(samples), 0.005);
  EXPECT_LT(std::ranges::max(samples), 20);
  const auto buildtime = program.observe(ObservationSpace::buildtime, module(kWork));
  ASSERT_TRUE(buildtime);
  EXPECT_EQ(std::get<std::vector<double>>(*buildtime).size(), 2U);
  EXPECT_GT(std::get<std::vector<double>>(*buildtime)[0], 0.001);
}

TEST_F(LinkedProgramTest, RuntimesRewardIsTheDifferenceOfMediansOrTheirLogRatio) {
  LinkedProgram program = linked();
  const std::string slow = module(kLong);
  const std::string fast = module(kWork);
  const double before = *program.cost(Cost::runtime, slow);
  const double now = *program.cost(Cost::runtime, fast);
  EXPECT_DOUBLE_EQ(*program.reward({Cost::runtime, RewardForm::difference}, slow, fast),
                   before - now);
  // Seconds below 1 are not taken for 1.
  EXPECT_NEAR(*program.reward({Cost::runtime, RewardForm::log_ratio}, slow, fast),
              std::log(before / now), 1e-9);
}

TEST_F(LinkedProgramTest, WhatCanNotBeMeasuredIsRefusedWithTheReason) {
  LinkedProgram program = linked();
  const Result<double> wrong = program.cost(Cost::runtime, module("return n;"));
  EXPECT_EQ(code(wrong), ErrorCode::conflict);
  EXPECT_NE(wrong.error().message.find("Wrong output, at byte 0 \""), std::string::npos)
      << wrong.error().message;
  EXPECT_TRUE(is_of_the_bitcode(wrong.error()));
  const Result<double> broken =
      program.cost(Cost::text_size, module("extern unsigned nowhere(void); return nowhere();"));
  EXPECT_EQ(code(broken), ErrorCode::invalid_argument);
  EXPECT_NE(broken.error().describe().find("nowhere"), std::string::npos);
  program_.runs.clear();
  LinkedProgram unknown = linked();
  const Result<double> none = unknown.cost(Cost::runtime, module(kWork));
  EXPECT_EQ(code(none), ErrorCode::unsupported);
  EXPECT_NE(none.error().message.find("how it is run is not known"), std::string::npos);
  EXPECT_FALSE(is_of_the_bitcode(none.error()));
}

}  // namespace
}  // namespace hone
