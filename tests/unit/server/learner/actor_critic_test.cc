#include "server/learner/models/actor_critic.h"

#include <cmath>
#include <limits>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/learner/models/adam.h"
#include "server/learner/models/ppo_loss.h"

namespace hone {
namespace {

constexpr ActorCriticShape kShape{.inputs = 5, .hidden = 7, .actions = 4};

// Steps as another, older policy would have made them.
std::vector<PpoStep> some_steps(std::uint64_t seed) {
  Random random(seed);
  std::vector<PpoStep> steps(12);
  for (PpoStep& step : steps) {
    for (std::size_t i = 0; i < kShape.inputs; ++i) {
      step.observation.push_back(2 * random.uniform() - 1);
    }
    step.allowed = {1, 1, static_cast<std::uint8_t>(random.below(2)), 1};
    step.action = std::array<std::size_t, 3>{0, 1, 3}[random.below(3)];
    step.log_probability = std::log(0.1 + 0.6 * random.uniform());
    step.advantage = 2 * random.uniform() - 1;
    step.target = random.uniform();
  }
  return steps;
}

TEST(ActorCritic, GradientIsThatOfFiniteDifferences) {
  ActorCritic network(kShape, 3);
  network.weights() *= 2;  // away from the nearly uniform policy it begins with
  const std::vector<PpoStep> steps = some_steps(1);
  std::vector<std::size_t> all(steps.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const PpoLossSettings settings{.clip = 0.2, .value_weight = 0.7, .entropy_weight = 0.3};
  const Eigen::VectorXd gradient = ppo_loss(network, steps, all, settings).gradient;
  ASSERT_EQ(static_cast<std::size_t>(gradient.size()), weight_count(kShape));
  double largest = 0;
  for (Eigen::Index i = 0; i < gradient.size(); ++i) {
    constexpr double kStep = 1e-6;
    ActorCritic moved = network;
    moved.weights()(i) += kStep;
    const double above = ppo_loss(moved, steps, all, settings).loss;
    moved.weights()(i) -= 2 * kStep;
    const double below = ppo_loss(moved, steps, all, settings).loss;
    EXPECT_NEAR(gradient(i), (above - below) / (2 * kStep), 1e-6) << "weight " << i;
    largest = std::max(largest, std::abs(gradient(i)));
  }
  EXPECT_GT(largest, 1e-2) << "a gradient of zeros would agree too";
}

TEST(ActorCritic, SameSeedSameWeights) {
  EXPECT_EQ(ActorCritic(kShape, 5).weights(), ActorCritic(kShape, 5).weights());
  EXPECT_NE(ActorCritic(kShape, 5).weights(), ActorCritic(kShape, 6).weights());
}

TEST(ActorCritic, ForbiddenActionsAreNeverDrawn) {
  Eigen::VectorXd scores(4);
  scores << 1, 900, -2, 0;  // would overflow without care
  const std::vector<std::uint8_t> allowed = {1, 0, 1, 1};
  const Eigen::VectorXd p = masked_softmax(scores, allowed);
  EXPECT_NEAR(p.sum(), 1, 1e-12);
  EXPECT_EQ(p(1), 0);
  EXPECT_NEAR(p(0) / p(3), std::exp(1.0), 1e-9);
  EXPECT_EQ(most_probable(p), 0U);
  Random random(1);
  std::array<int, 4> drawn{};
  for (int i = 0; i < 4000; ++i) {
    ++drawn[draw(p, random)];
  }
  EXPECT_EQ(drawn[1], 0);
  EXPECT_NEAR(drawn[0] / 4000.0, p(0), 0.04);
}

TEST(ActorCritic, RefusesWeightsOfAnotherShape) {
  std::vector<double> weights(weight_count(kShape), 0.5);
  EXPECT_TRUE(ActorCritic::from_weights(kShape, weights));
  weights.back() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(ActorCritic::from_weights(kShape, weights).error().message,
              testing::HasSubstr("not finite"));
  weights.pop_back();
  EXPECT_THAT(ActorCritic::from_weights(kShape, weights).error().message,
              testing::HasSubstr("weights: this network has"));
  EXPECT_THAT(ActorCritic::from_weights({5, kMaxHidden + 1, 4}, weights).error().message,
              testing::HasSubstr("hidden"));
}

TEST(Adam, FindsTheBottomOfABowl) {
  Eigen::VectorXd x(2);
  x << 3, -2;
  Adam adam(2);
  for (int i = 0; i < 2000; ++i) {
    adam.step(x, Eigen::Vector2d(2 * (x(0) - 1), 200 * (x(1) - 0.5)), 0.01, 1e9);
  }
  EXPECT_NEAR(x(0), 1, 1e-3);
  EXPECT_NEAR(x(1), 0.5, 1e-3);
}

}  // namespace
}  // namespace hone
