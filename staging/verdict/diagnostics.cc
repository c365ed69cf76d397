#include "staging/verdict/diagnostics.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "common/stats/detectable.h"
#include "common/stats/median.h"
#include "common/stats/order_effect.h"

namespace hone {
namespace {

constexpr std::size_t kFewestPairs = 12;
constexpr std::size_t kFewestSlowRuns = 2;

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", 100 * share);
  return text;
}

double lag_one(const std::vector<double>& x) {
  double mean = 0;
  for (const double value : x) {
    mean += value / static_cast<double>(x.size());
  }
  double products = 0;
  double squares = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    squares += (x[i] - mean) * (x[i] - mean);
    if (i > 0) {
      products += (x[i] - mean) * (x[i - 1] - mean);
    }
  }
  return squares > 0 ? products / squares : 0;
}

struct SlowRuns {
  std::size_t slow = 0;  // far above the median of their own input's
  std::size_t all = 0;
};

SlowRuns slow_runs(const std::map<std::string, std::vector<double>>& by_input) {
  SlowRuns runs;
  for (const auto& [input, values] : by_input) {
    const double limit = median(values) + 5 * robust_sigma(values);
    runs.slow += static_cast<std::size_t>(
        std::count_if(values.begin(), values.end(), [&](double value) { return value > limit; }));
    runs.all += values.size();
  }
  return runs;
}

// One slow run is everybody's; several of one binary's alone are its own.
bool has_two_speeds(const SlowRuns& one, const SlowRuns& other) {
  return one.slow >= kFewestSlowRuns && one.slow * 20 >= one.all && other.slow == 0;
}

}  // namespace

std::vector<std::string> doubts(const std::vector<Sample>& samples,
                                const std::vector<PairedSample>& pairs) {
  std::vector<std::string> warnings;
  if (!samples.empty() && samples.front().metric == Metric::energy) {
    warnings.emplace_back(
        "energy is that of the whole machine: it says something of these programs only if nothing "
        "else ran, in another slot or beside them");
  }
  if (pairs.size() < kFewestPairs) {
    return warnings;
  }
  const double correlation = lag_one(order_adjusted(pairs));
  const double noticeable = std::max(0.3, 2.5 / std::sqrt(static_cast<double>(pairs.size())));
  if (correlation > noticeable) {
    char text[16];
    std::snprintf(text, sizeof text, "%.2f", correlation);
    warnings.push_back(std::string("neighbouring pairs resemble each other (autocorrelation ") +
                       text + "): the machine changes slowly under the benchmark, and the " +
                       "verdict is wrong more often than its 5 %; measure on a calmer machine");
  }
  std::map<std::string, std::vector<double>> baseline;
  std::map<std::string, std::vector<double>> candidate;
  for (const Sample& sample : samples) {
    (sample.role == SampleRole::baseline ? baseline : candidate)[sample.input].push_back(
        sample.value);
  }
  const SlowRuns slow[2] = {slow_runs(baseline), slow_runs(candidate)};
  for (std::size_t side = 0; side < 2; ++side) {
    if (has_two_speeds(slow[side], slow[1 - side])) {
      warnings.push_back(std::to_string(slow[side].slow) + " of the " +
                         (side == 0 ? "baseline" : "candidate") + "'s " +
                         std::to_string(slow[side].all) +
                         " runs are far slower than the rest and none of the other's: it may have "
                         "two speeds, and the verdict is about the usual one");
    }
  }
  const double effect = order_effect(pairs);
  if (std::fabs(effect) > 0.01) {
    warnings.push_back("the second run of a pair is " + percent(std::fabs(effect)) +
                       (effect < 0 ? " slower" : " faster") + " than the first; subtracted");
  }
  return warnings;
}

}  // namespace hone
