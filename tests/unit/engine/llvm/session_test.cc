#include "engine/llvm/session.h"

#include <cmath>

#include <gtest/gtest.h>

#include "common/base/sha256.h"
#include "common/pipelines/action_space.h"

namespace hone {
namespace {

// Memory where registers would do, a call to inline, a loop to work on.
constexpr std::string_view kProgram = R"(
target triple = "x86_64-pc-linux-gnu"
define internal i32 @twice(i32 %x) {
  %y = add i32 %x, %x
  ret i32 %y
}
define i32 @sum(ptr %a, i32 %n) {
entry:
  %s = alloca i32
  store i32 0, ptr %s
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr i32, ptr %a, i32 %i
  %v = load i32, ptr %p
  %w = call i32 @twice(i32 %v)
  %old = load i32, ptr %s
  %new = add i32 %old, %w
  store i32 %new, ptr %s
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  %r = load i32, ptr %s
  ret i32 %r
}
)";
constexpr std::int64_t kInstructions = 17;

std::unique_ptr<Session> open(const SessionOptions& options = {}) {
  Result<std::unique_ptr<Session>> session = Session::create(kProgram, options);
  EXPECT_TRUE(session) << session.error().describe();
  return session ? *std::move(session) : nullptr;
}

std::int64_t instructions(Session& session) {
  const auto seen = session.observe(ObservationSpace::ir_instruction_count);
  EXPECT_TRUE(seen);
  return std::get<std::int64_t>(**seen);
}

std::string hash_of(Session& session) {
  const auto seen = session.observe(ObservationSpace::bitcode_hash);
  EXPECT_TRUE(seen);
  return std::get<std::string>(**seen);
}

using Pipelines = std::vector<std::string>;
const Pipelines kSteps = {"function(sroa)",          "cgscc(inline)",
                          "function(loop(indvars))", "function(loop-mssa(licm))",
                          "function(simplifycfg)",   "globaldce"};

TEST(Session, AStatesNameIsTheSha256OfItsBitcode) {
  const auto session = open();
  const auto bitcode = session->observe(ObservationSpace::bitcode);
  const auto name = session->observe(ObservationSpace::bitcode_sha256);
  ASSERT_TRUE(bitcode && name);
  EXPECT_EQ(std::get<std::string>(**name), sha256_hex(std::get<std::string>(**bitcode)));
}

TEST(Session, AStepAppliesItsPipelineAndIsSeen) {
  const auto session = open();
  EXPECT_EQ(instructions(*session), kInstructions);
  const auto step = session->step(Pipelines{"function(sroa)"});
  ASSERT_TRUE(step) << step.error().describe();
  EXPECT_EQ(step->applied, 1U);
  EXPECT_TRUE(step->changed);
  // The alloca, two stores and two loads are gone, a phi has come.
  EXPECT_EQ(instructions(*session), kInstructions - 4);
  const auto again = session->step(Pipelines{"function(sroa)"});
  ASSERT_TRUE(again);
  EXPECT_FALSE(again->changed);
  EXPECT_EQ(session->history(), (Pipelines{"function(sroa)", "function(sroa)"}));
}

// What is counted again for changed functions alone is what counting all of them gives, whatever a
// pass changes: after each of all actions, from the program as it came and from where they led.
TEST(Session, CountsAreThoseOfTheWholeModule) {
  const Result<ActionSpace> actions = ActionSpace::create(19);
  ASSERT_TRUE(actions);
  constexpr ObservationSpace kCounted[] = {
      ObservationSpace::autophase, ObservationSpace::inst_count, ObservationSpace::inst_count_norm,
      ObservationSpace::ir_instruction_count};
  const auto session = open();
  std::size_t changed = 0;
  for (int round = 0; round < 2; ++round) {
    for (const Action& action : actions->actions()) {
      for (const ObservationSpace space : kCounted) {
        ASSERT_TRUE(session->observe(space));  // so that there is something to be kept
      }
      const Result<StepResult> step = session->step(std::vector{action.pipeline}, {});
      ASSERT_TRUE(step) << action.name << ": " << step.error().describe();
      changed += step->changed ? 1 : 0;
      const Result<std::unique_ptr<Session>> afresh =
          Session::create(std::get<std::string>(**session->observe(ObservationSpace::bitcode)), {});
      ASSERT_TRUE(afresh);
      for (const ObservationSpace space : kCounted) {
        EXPECT_EQ(**session->observe(space), **(*afresh)->observe(space))
            << action.name << ", " << to_string(space);
      }
    }
    ASSERT_TRUE(session->reset());
  }
  EXPECT_GT(changed, 20U);
}

TEST(Session, KnowsWhatWouldChangeNothing) {
  const auto session = open();
  ASSERT_TRUE(session->step(Pipelines{"function(sroa)"}));
  EXPECT_TRUE(session->without_effect().empty());
  ASSERT_TRUE(session->step(Pipelines{"function(sroa)", "function(dce)"}));
  EXPECT_EQ(session->without_effect(), (std::set<std::string>{"function(dce)", "function(sroa)"}));
  const auto step = session->step(Pipelines{"cgscc(inline)"});
  ASSERT_TRUE(step && step->changed);
  EXPECT_TRUE(session->without_effect().empty())
      << "what changed something may have made them work";
  ASSERT_TRUE(session->step(Pipelines{"function(sroa)"}));
  ASSERT_TRUE(session->undo(1));
  EXPECT_TRUE(session->without_effect().empty());
}

TEST(Session, Ir2vecNeedsItsVocabulary) {
  const auto session = open();
  const auto seen = session->observe(ObservationSpace::ir2vec);
  ASSERT_FALSE(seen);
  EXPECT_EQ(seen.error().code, ErrorCode::unsupported);
  EXPECT_NE(seen.error().message.find("HONE_IR2VEC"), std::string::npos);
}

TEST(Session, ManyStepsAndOneBatchGiveTheSameState) {
  const auto one_by_one = open();
  for (const std::string& pipeline : kSteps) {
    ASSERT_TRUE(one_by_one->step(Pipelines{pipeline}));
    hash_of(*one_by_one);  // looking changes nothing
  }
  const auto at_once = open();
  const auto step = at_once->step(kSteps);
  ASSERT_TRUE(step);
  EXPECT_EQ(step->applied, kSteps.size());
  EXPECT_EQ(hash_of(*one_by_one), hash_of(*at_once));
}

TEST(Session, UndoAndResetGoBackToTheSameStates) {
  const auto session = open();
  const std::string start = hash_of(*session);
  ASSERT_TRUE(session->step(Pipelines{kSteps[0], kSteps[1]}));
  const std::string middle = hash_of(*session);
  ASSERT_TRUE(session->step(Pipelines{kSteps[2], kSteps[3], kSteps[4]}));
  EXPECT_NE(hash_of(*session), middle);
  ASSERT_TRUE(session->undo(3));
  EXPECT_EQ(hash_of(*session), middle);
  EXPECT_EQ(session->history().size(), 2U);
  EXPECT_FALSE(session->undo(3));
  EXPECT_EQ(hash_of(*session), middle) << "a refused undo changes nothing";
  ASSERT_TRUE(session->reset());
  EXPECT_EQ(hash_of(*session), start);
}

TEST(Session, RewardsAreCompilerGyms) {
  const auto session = open();
  const std::vector<RewardSpace> spaces = {{Cost::ir_instruction_count, RewardForm::difference},
                                           {Cost::ir_instruction_count, RewardForm::norm},
                                           {Cost::ir_instruction_count, RewardForm::log_ratio},
                                           {Cost::object_text_size, RewardForm::difference}};
  const auto step = session->step(Pipelines{"function(sroa)"}, spaces);
  ASSERT_TRUE(step) << step.error().describe();
  ASSERT_EQ(step->rewards.size(), 4U);
  EXPECT_DOUBLE_EQ(step->rewards[0], 4);
  EXPECT_DOUBLE_EQ(step->rewards[1], 4.0 / kInstructions);
  EXPECT_DOUBLE_EQ(step->rewards[2], std::log(17.0 / 13.0));
  EXPECT_GT(step->rewards[3], 0);
  ASSERT_TRUE(session->step(Pipelines{"cgscc(inline)"}));
  const auto whole = session->episode_reward(spaces[0]);
  ASSERT_TRUE(whole);
  EXPECT_DOUBLE_EQ(*whole, static_cast<double>(kInstructions - instructions(*session)));
}

TEST(Session, TheRewardAgainstABaselineIsOneWhereItsProgramIsReached) {
  const auto session = open();
  ASSERT_TRUE(session->step(Pipelines{"default<O3>"}));
  const auto reward = session->episode_reward({Cost::ir_instruction_count, RewardForm::o3});
  ASSERT_TRUE(reward) << reward.error().describe();
  // O3 makes this loop larger (it is unrolled and vectorised), so that CompilerGym's denominator
  // is its 1; the session stands where the baseline does.
  const auto difference =
      session->episode_reward({Cost::ir_instruction_count, RewardForm::difference});
  ASSERT_TRUE(difference);
  EXPECT_DOUBLE_EQ(*reward, *difference / std::max(*difference, 1.0));
}

TEST(Session, ABadPipelineIsRefusedBeforeAnythingIsRun) {
  const auto session = open();
  const std::string start = hash_of(*session);
  const auto step = session->step(Pipelines{"function(sroa)", "function(no-such-pass)"});
  ASSERT_FALSE(step);
  EXPECT_EQ(step.error().code, ErrorCode::invalid_argument);
  EXPECT_NE(step.error().message.find("pipeline 2 of 2"), std::string::npos);
  EXPECT_EQ(hash_of(*session), start);
  EXPECT_TRUE(session->history().empty());
}

TEST(Session, AnExcludedPassRunsOnlyWhereThatWasAskedFor) {
  const Pipelines strip = {"strip"};
  EXPECT_FALSE(open()->step(strip));
  SessionOptions free;
  free.allowed_only = false;
  const auto step = open(free)->step(strip);
  EXPECT_TRUE(step) << step.error().describe();
}

TEST(Session, WhatLlvmDoesNotTakeLeavesNoPartBehind) {
  SessionOptions free;
  free.allowed_only = false;
  const auto session = open(free);
  const std::string start = hash_of(*session);
  EXPECT_FALSE(session->step(Pipelines{"function(sroa)", "function(no-such-pass)"}));
  EXPECT_EQ(hash_of(*session), start);
  EXPECT_TRUE(session->history().empty());
}

TEST(Session, WhatIsNoProgramIsRefused) {
  const auto session = Session::create("nonsense", {});
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().code, ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace hone
