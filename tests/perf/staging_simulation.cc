// staging_simulation [SIMULATIONS]: what the sequential test promises, by simulation, and what a
// design with a fixed number of pairs needs for the same. For tests/perf/staging_power.sh.
//
// Pairs have normal noise of standard deviation 1, 2 or 3 %, and an order effect of 1.4 %. The
// fixed design is Wilcoxon's signed-rank test at 5 %, with the least number of pairs (whole blocks)
// that finds 1 % as often as the sequential test does. Prints a table, then NAME=VALUE lines:
//   false_calls   share of the comparisons without an effect that are called different, the largest
//   coverage_low, coverage_high   share of intervals that hold the truth, over all cells
//   pairs_of_fixed   mean pairs over an equal mix of 0, 1, 2 and 5 % and the three noises, of those
//                    of fixed designs that know the noise of each
//   pairs_of_unknown the same, of a fixed design chosen before the noise is known: that for 3 %
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "common/base/random.h"
#include "common/stats/normal.h"
#include "common/stats/order_effect.h"
#include "common/stats/sequential_test.h"
#include "common/stats/signed_rank.h"

namespace hone {
namespace {

constexpr double kOrderEffect = 0.014;
constexpr double kSigmas[] = {0.01, 0.02, 0.03};
constexpr double kEffects[] = {0, 0.005, 0.01, 0.02, 0.05};

double normal_draw(Random& random) {
  return normal_quantile((static_cast<double>(random.bits() >> 12U) + 0.5) * 0x1p-52);
}

// Endless pairs of one comparison.
class Pairs {
 public:
  Pairs(double effect, double sigma, Random& random)
      : effect_(effect), sigma_(sigma), random_(random) {}

  PairedSample next() {
    if (orders_.empty()) {
      orders_ = balanced_orders(1, random_);
    }
    const RunOrder order = orders_.back();
    orders_.pop_back();
    return {effect_ + sigma_ * normal_draw(random_) + order_sign(order) * kOrderEffect, order};
  }

 private:
  double effect_;
  double sigma_;
  Random& random_;
  std::vector<RunOrder> orders_;
};

struct Cell {
  double found = 0;    // a significant difference
  double covered = 0;  // the interval holds the truth
  double pairs = 0;    // mean
};

Cell simulate(double effect, double sigma, int simulations, Random& random) {
  Cell cell;
  for (int i = 0; i < simulations; ++i) {
    Pairs pairs(effect, sigma, random);
    SequentialTest test = *SequentialTest::create({});
    while (!test.decision()) {
      if (!test.add(pairs.next())) {
        std::abort();  // a finite sample of an undecided test is always taken
      }
    }
    const SequentialDecision& decision = *test.decision();
    cell.found += decision.verdict == TestVerdict::faster ||
                          decision.verdict == TestVerdict::slower ||
                          decision.verdict == TestVerdict::within_noise
                      ? 1
                      : 0;
    cell.covered += decision.reward.contains(effect) ? 1 : 0;
    cell.pairs += static_cast<double>(decision.pairs);
  }
  const double n = simulations;
  return {cell.found / n, cell.covered / n, cell.pairs / n};
}

double fixed_power(std::size_t pairs, double sigma, int simulations, Random& random) {
  int found = 0;
  for (int i = 0; i < simulations; ++i) {
    Pairs source(0.01, sigma, random);
    std::vector<PairedSample> samples;
    for (std::size_t pair = 0; pair < pairs; ++pair) {
      samples.push_back(source.next());
    }
    found += signed_rank_sign(order_adjusted(samples), 1.96) > 0 ? 1 : 0;
  }
  return found / static_cast<double>(simulations);
}

std::size_t fixed_pairs(double power, double sigma, int simulations, Random& random) {
  std::size_t pairs = kPairsPerBlock;
  while (pairs < 1000 && fixed_power(pairs, sigma, simulations, random) < power) {
    pairs += kPairsPerBlock;
  }
  return pairs;
}

int run(int simulations) {
  Random random(20261128);
  double false_calls = 0;
  double lowest = 1;
  double highest = 0;
  double mixed = 0;  // mean pairs over the mix and the noises
  double known = 0;  // pairs of a fixed design for each noise, and for the largest one
  double unknown = 0;
  std::printf("sigma  effect  found  coverage  mean pairs   (%d simulations a line)\n",
              simulations);
  for (const double sigma : kSigmas) {
    double mix = 0;
    double power = 0;
    for (const double effect : kEffects) {
      const Cell cell = simulate(effect, sigma, simulations, random);
      std::printf("%3.0f %%  %4.1f %%  %5.3f  %8.3f  %10.1f\n", 100 * sigma, 100 * effect,
                  cell.found, cell.covered, cell.pairs);
      false_calls = effect == 0 ? std::max(false_calls, cell.found) : false_calls;
      power = effect == 0.01 ? cell.found : power;
      mix += effect == 0.005 ? 0 : cell.pairs / 4;
      lowest = std::min(lowest, cell.covered);
      highest = std::max(highest, cell.covered);
    }
    const std::size_t same = fixed_pairs(power, sigma, simulations, random);
    std::printf(
        "%3.0f %%  a fixed design that finds 1 %% as often (%.3f) needs %zu pairs; the mix "
        "took %.1f, %.2f of it\n",
        100 * sigma, power, same, mix, mix / static_cast<double>(same));
    mixed += mix / std::size(kSigmas);
    known += static_cast<double>(same) / std::size(kSigmas);
    unknown = static_cast<double>(same);
  }
  std::printf("false_calls=%.4f\ncoverage_low=%.4f\ncoverage_high=%.4f\n", false_calls, lowest,
              highest);
  std::printf("pairs_of_fixed=%.3f\npairs_of_unknown=%.3f\n", mixed / known, mixed / unknown);
  return 0;
}

}  // namespace
}  // namespace hone

int main(int argc, char** argv) {
  const int simulations = argc > 1 ? std::atoi(argv[1]) : 2000;
  if (simulations < 100 || argc > 2) {
    std::fprintf(stderr, "usage: staging_simulation [SIMULATIONS, at least 100]\n");
    return 2;
  }
  return hone::run(simulations);
}
