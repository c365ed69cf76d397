#include "staging/verdict/self_check.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "common/stats/median.h"

namespace hone {
namespace {

// One look more than the first that may say too_noisy (common/stats/sequential_test.h).
constexpr std::size_t kSelfCheckPairs = 32;

class BaselineTwice final : public Bench {
 public:
  explicit BaselineTwice(Bench& bench) : bench_(bench) {}
  std::size_t layouts() const override { return bench_.layouts(); }
  std::optional<double> known_value(const BenchRun& wanted) const override {
    return bench_.known_value(baseline_of(wanted));
  }
  BenchmarkRun run(const BenchRun& wanted, const std::stop_token& stop) override {
    return bench_.run(baseline_of(wanted), stop);
  }

 private:
  static BenchRun baseline_of(BenchRun wanted) {
    wanted.role = SampleRole::baseline;
    return wanted;
  }

  Bench& bench_;
};

}  // namespace

std::optional<SelfCheck> self_check(Bench& bench, ComparisonPlan plan,
                                    const std::stop_token& stop) {
  BaselineTwice twice(bench);
  plan.candidate = 0;
  plan.most_pairs = std::min(plan.most_pairs.value_or(kSelfCheckPairs), kSelfCheckPairs);
  // They say nothing about the machine, and the comparison that follows runs them.
  plan.benchmark.checks.clear();
  // Another order than that of the comparison that follows.
  plan.seed = ~plan.seed;
  const Comparison comparison = compare(twice, plan, stop);
  if (comparison.outcome != Outcome::ok || !comparison.verdict || !comparison.reward) {
    return std::nullopt;
  }
  std::vector<double> values;
  values.reserve(comparison.samples.size());
  for (const Sample& sample : comparison.samples) {
    values.push_back(sample.value);
  }
  return SelfCheck{*comparison.verdict, *comparison.reward, median(std::move(values))};
}

}  // namespace hone
