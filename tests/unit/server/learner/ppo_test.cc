// PPO on a toy: a lock whose combination depends on the program.
#include "server/learner/models/ppo.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace hone {
namespace {

constexpr std::size_t kPrograms = 3;
constexpr std::size_t kLength = 3;

// Action (program + step) % 3 is right, worth 1/3; action 3 is worth 5, and forbidden.
class Lock final : public Environment {
 public:
  std::size_t inputs() const override { return kPrograms + kLength; }
  std::size_t actions() const override { return 4; }
  std::size_t programs() const override { return kPrograms; }

  Result<std::vector<Situation>> begin(std::span<const std::size_t> programs) override {
    programs_.assign(programs.begin(), programs.end());
    step_ = 0;
    return seen(std::vector<double>(programs.size(), 0));
  }

  Result<std::vector<Situation>> step(std::span<const std::size_t> actions) override {
    std::vector<double> rewards;
    for (std::size_t i = 0; i < programs_.size(); ++i) {
      forbidden_taken += actions[i] == 3 ? 1 : 0;
      rewards.push_back(actions[i] == (programs_[i] + step_) % 3 ? 1.0 / 3 : 0);
    }
    ++step_;
    return seen(rewards);
  }

  int forbidden_taken = 0;

 private:
  std::vector<Situation> seen(const std::vector<double>& rewards) const {
    std::vector<Situation> situations(programs_.size());
    for (std::size_t i = 0; i < situations.size(); ++i) {
      situations[i].reward = rewards[i];
      situations[i].done = step_ == kLength;
      if (!situations[i].done) {
        situations[i].observation.assign(inputs(), 0);
        situations[i].observation[programs_[i]] = 1;
        situations[i].observation[kPrograms + step_] = 1;
        situations[i].allowed = {1, 1, 1, 0};
      }
    }
    return situations;
  }

  std::vector<std::size_t> programs_;
  std::size_t step_ = 0;
};

PpoSettings settings_of(double final_share) {
  PpoSettings settings;
  settings.steps = 15'000;
  settings.final_share = final_share;
  settings.episodes = 48;
  settings.at_once = 16;
  settings.hidden = 16;
  settings.rate = 3e-3;
  settings.loss.entropy_weight = 0.05;
  return settings;
}

class PpoTest : public testing::TestWithParam<double> {};

TEST_P(PpoTest, OpensEveryLock) {
  Lock lock;
  std::size_t steps = 0;
  PpoHooks hooks;
  hooks.on_batch = [&](const PpoProgress& progress) {
    EXPECT_GT(progress.steps, steps);
    steps = progress.steps;
  };
  const Result<StepPolicy> policy = train_ppo(lock, settings_of(GetParam()), hooks);
  ASSERT_TRUE(policy) << policy.error().describe();
  EXPECT_GE(steps, 15'000U);
  for (std::size_t program = 0; program < kPrograms; ++program) {
    const Result<std::vector<Rollout>> rollouts = roll_out(*policy, lock, program, 20, 7);
    ASSERT_TRUE(rollouts);
    EXPECT_NEAR(rollouts->front().reward, 1, 1e-9) << "without chance, program " << program;
    double mean = 0;
    for (const Rollout& rollout : *rollouts) {
      EXPECT_EQ(rollout.actions.size(), kLength);
      EXPECT_LE(rollout.log_probability, 0);
      mean += rollout.reward / 20;
    }
    EXPECT_GT(mean, 0.9);
  }
  EXPECT_EQ(lock.forbidden_taken, 0);
}

INSTANTIATE_TEST_SUITE_P(ImmediateFinalBoth, PpoTest, testing::Values(0.0, 1.0, 0.3));

TEST(Ppo, SameSeedSamePolicy) {
  PpoSettings settings = settings_of(0);
  settings.steps = 600;
  Lock first;
  Lock second;
  const Result<StepPolicy> one = train_ppo(first, settings);
  const Result<StepPolicy> two = train_ppo(second, settings);
  ASSERT_TRUE(one && two);
  EXPECT_EQ(one->network.weights(), two->network.weights());
  settings.seed = 2;
  const Result<StepPolicy> other = train_ppo(first, settings);
  ASSERT_TRUE(other);
  EXPECT_NE(one->network.weights(), other->network.weights());
}

TEST(Ppo, GivesNoPolicyThatWentAstray) {
  Lock lock;
  PpoSettings settings = settings_of(0);
  settings.rate = 1e300;
  const Result<StepPolicy> policy = train_ppo(lock, settings);
  ASSERT_FALSE(policy);
  EXPECT_EQ(policy.error().code, ErrorCode::unsupported);
}

TEST(Ppo, StopsWhenItIsAsked) {
  Lock lock;
  std::stop_source source;
  source.request_stop();
  const Result<StepPolicy> policy =
      train_ppo(lock, settings_of(0), {.on_batch = {}, .stop = source.get_token()});
  ASSERT_FALSE(policy);
  EXPECT_EQ(policy.error().code, ErrorCode::cancelled);
}

}  // namespace
}  // namespace hone
