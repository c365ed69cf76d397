#include "server/learner/knowledge/greedy_cover.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include <gtest/gtest.h>

#include "common/base/random.h"

namespace hone {
namespace {

using Gain = std::optional<double>;

// The value of a choice, by its definition.
double value_of(const GainMatrix& gains, const std::vector<double>& weights,
                const std::vector<std::size_t>& choice) {
  double sum = 0;
  double weight = 0;
  for (std::size_t program = 0; program < gains.size(); ++program) {
    double best = 0;
    for (const std::size_t sequence : choice) {
      best = std::max(best, gains[program][sequence].value_or(0.0));
    }
    sum += weights[program] * best;
    weight += weights[program];
  }
  return sum / weight;
}

TEST(GreedyCover, TakesWhatAddsMost) {
  // The best one on average, then the one that helps where it does not.
  const GainMatrix gains = {{Gain(0.10), Gain(0.00), Gain(0.09)},
                            {Gain(0.10), Gain(0.02), Gain(0.09)},
                            {Gain(-0.20), Gain(0.06), Gain(-0.3)}};
  const std::vector<CoverStep> steps = greedy_cover(gains, {1, 1, 1}, {.most = 3});
  ASSERT_EQ(steps.size(), 2U) << "the third adds nothing";
  EXPECT_EQ(steps[0].sequence, 0U);
  EXPECT_NEAR(steps[0].value, 0.2 / 3, 1e-12);
  EXPECT_EQ(steps[1].sequence, 1U);
  EXPECT_NEAR(steps[1].value, 0.26 / 3, 1e-12);
}

TEST(GreedyCover, WeightsCount) {
  const GainMatrix gains = {{Gain(0.1), Gain(0.0)}, {Gain(0.0), Gain(0.09)}};
  EXPECT_EQ(greedy_cover(gains, {1, 1}, {.most = 1})[0].sequence, 0U);
  EXPECT_EQ(greedy_cover(gains, {1, 2}, {.most = 1})[0].sequence, 1U);
}

TEST(GreedyCover, WhatFailsSomewhereIsNotChosenUnlessAllowed) {
  const GainMatrix gains = {{Gain(0.5), Gain(0.1)}, {std::nullopt, Gain(0.1)}};
  EXPECT_EQ(greedy_cover(gains, {1, 1}, {.most = 1})[0].sequence, 1U);
  EXPECT_EQ(greedy_cover(gains, {1, 1}, {.most = 1, .most_failed = 0.5})[0].sequence, 0U);
}

TEST(GreedyCover, NothingGainedNothingChosen) {
  EXPECT_TRUE(greedy_cover({}, {}, {}).empty());
  EXPECT_TRUE(greedy_cover({{Gain(-0.1), Gain(0.0)}}, {1}, {}).empty());
}

// The bound of Nemhauser, Wolsey and Fisher, against every choice there is.
TEST(GreedyCover, IsWithinItsBoundOfTheBestChoice) {
  Random random(1);
  constexpr std::size_t kPrograms = 6;
  constexpr std::size_t kSequences = 9;
  constexpr std::size_t kMost = 3;
  for (int round = 0; round < 50; ++round) {
    GainMatrix gains(kPrograms);
    std::vector<double> weights;
    for (auto& row : gains) {
      weights.push_back(0.1 + random.uniform());
      for (std::size_t s = 0; s < kSequences; ++s) {
        row.emplace_back(random.uniform() - 0.5);
      }
    }
    std::vector<std::size_t> chosen;
    const std::vector<CoverStep> steps = greedy_cover(gains, weights, {.most = kMost});
    for (const CoverStep& step : steps) {
      chosen.push_back(step.sequence);
      EXPECT_NEAR(step.value, value_of(gains, weights, chosen), 1e-12);
    }
    double best = 0;
    for (unsigned set = 0; set < (1U << kSequences); ++set) {
      if (std::popcount(set) != kMost) {
        continue;
      }
      std::vector<std::size_t> choice;
      for (std::size_t s = 0; s < kSequences; ++s) {
        if ((set >> s & 1U) != 0) {
          choice.push_back(s);
        }
      }
      best = std::max(best, value_of(gains, weights, choice));
    }
    EXPECT_GE(value_of(gains, weights, chosen), (1 - 1 / std::exp(1.0)) * best - 1e-12);
  }
}

}  // namespace
}  // namespace hone
