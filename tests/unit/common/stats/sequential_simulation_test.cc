// What the procedure promises, by simulation with a fixed seed. Bounds are the promised rate and
// four standard errors of the binomial count, so that a right implementation passes with any seed
// but one in ten thousand.
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/random.h"
#include "common/stats/difference.h"
#include "common/stats/order_effect.h"
#include "common/stats/sequential_test.h"
#include "tests/unit/common/stats/series.h"

namespace hone {
namespace {

constexpr double kOrderEffect = 0.014;

// Noise with heavier tails than normal, as measured pairs have: one in ten is three times as wide.
double noise(Random& random) {
  return draw_contaminated(random, 3);
}

SequentialTest simulate(double reward, double sigma, Random& random,
                        const SequentialSettings& settings = {}) {
  SequentialTest test = *SequentialTest::create(settings);
  std::vector<RunOrder> orders;
  while (!test.decision()) {
    if (orders.empty()) {
      orders = balanced_orders(1, random);
    }
    const RunOrder order = orders.back();
    orders.pop_back();
    const double log_ratio = reward + sigma * noise(random) + order_sign(order) * kOrderEffect;
    EXPECT_TRUE(test.add({log_ratio, order}));
  }
  return test;
}

double bound(double rate, int runs) {
  return rate + 4 * std::sqrt(rate * (1 - rate) / runs);
}
double floor_of(double rate, int runs) {
  return rate - 4 * std::sqrt(rate * (1 - rate) / runs);
}

struct Rates {
  double significant = 0;  // faster, slower or within_noise
  double faster = 0;
  double no_change = 0;
  double covered = 0;
  double pairs = 0;
};

Rates rates(double reward, double sigma, int runs, std::uint64_t seed) {
  Random random(seed);
  Rates result;
  for (int run = 0; run < runs; ++run) {
    const SequentialDecision decision = *simulate(reward, sigma, random).decision();
    const bool significant = decision.verdict == TestVerdict::faster ||
                             decision.verdict == TestVerdict::slower ||
                             decision.verdict == TestVerdict::within_noise;
    result.significant += significant ? 1.0 / runs : 0;
    result.faster += decision.verdict == TestVerdict::faster ? 1.0 / runs : 0;
    result.no_change += decision.verdict == TestVerdict::no_change ? 1.0 / runs : 0;
    result.covered += decision.reward.contains(reward) ? 1.0 / runs : 0;
    result.pairs += static_cast<double>(decision.pairs) / runs;
  }
  return result;
}

TEST(SequentialSimulation, FalseCallsStayWithinFivePercent) {
  for (const double sigma : {0.006, 0.02, 0.04}) {
    const Rates null = rates(0, sigma, 800, 101);
    EXPECT_LT(null.significant, bound(0.05, 800)) << sigma;
    EXPECT_GT(null.covered, floor_of(0.93, 800)) << sigma;
  }
}

TEST(SequentialSimulation, QuietBenchmarksShowNoChangeQuickly) {
  const Rates null = rates(0, 0.006, 400, 102);
  EXPECT_GT(null.no_change, 0.9);
  EXPECT_LT(null.pairs, 20);
}

TEST(SequentialSimulation, FindsEffectsOfItsSize) {
  const Rates one_percent = rates(0.01, 0.02, 400, 103);
  EXPECT_GT(one_percent.significant, floor_of(0.92, 400));
  const Rates two_percent = rates(0.02, 0.02, 400, 104);
  EXPECT_GT(two_percent.faster, floor_of(0.98, 400));
  EXPECT_GT(two_percent.covered, floor_of(0.93, 400));
  EXPECT_LT(two_percent.pairs, 60);
}

TEST(SequentialSimulation, AVerificationAgreesWithWhatItVerifies) {
  // Both measurements stop by themselves, which biases each a little: the 99 % interval of their
  // difference must still hold the truth, which is 0.
  constexpr int kRuns = 500;
  for (const double reward : {0.0, 0.012, 0.03}) {
    Random random(105);
    int covered = 0;
    for (int run = 0; run < kRuns; ++run) {
      const SequentialTest first = simulate(reward, 0.02, random);
      const SequentialTest second = simulate(reward, 0.02, random);
      covered += location_difference(order_adjusted(first.samples()),
                                     order_adjusted(second.samples()), 0.99)
                         ->contains(0)
                     ? 1
                     : 0;
    }
    EXPECT_GT(covered / static_cast<double>(kRuns), floor_of(0.985, kRuns)) << reward;
  }
}

}  // namespace
}  // namespace hone
