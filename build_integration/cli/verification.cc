#include "build_integration/cli/verification.h"

#include <cstdint>
#include <map>

#include "common/stats/difference.h"
#include "common/stats/order_effect.h"
#include "common/stats/paired_sample.h"

namespace hone {
namespace {

struct Pair {
  double baseline = 0;
  double candidate = 0;
  bool has_baseline = false;
  bool has_candidate = false;
  bool baseline_first = true;
};

}  // namespace

Result<std::vector<double>> log_ratios(std::span<const Sample> samples, const MetricSpec& metric) {
  std::map<std::int64_t, Pair> pairs;
  for (const Sample& sample : samples) {
    if (sample.metric != metric.metric) {
      continue;
    }
    Pair& pair = pairs[sample.pair];
    if (sample.role == SampleRole::baseline) {
      pair.baseline += sample.value;
      pair.has_baseline = true;
      pair.baseline_first = sample.position == 0;
    } else {
      pair.candidate += sample.value;
      pair.has_candidate = true;
    }
  }
  std::vector<PairedSample> paired;
  for (const auto& [number, pair] : pairs) {
    if (!pair.has_baseline || !pair.has_candidate) {
      continue;
    }
    // A throughput is better when higher: the sides change places.
    const double baseline = metric.higher_is_better ? pair.candidate : pair.baseline;
    const double candidate = metric.higher_is_better ? pair.baseline : pair.candidate;
    HONE_TRY(
        const PairedSample sample,
        paired_sample(baseline, candidate,
                      pair.baseline_first ? RunOrder::baseline_first : RunOrder::candidate_first));
    paired.push_back(sample);
  }
  return order_adjusted(paired);
}

Result<Agreement> compare_measurements(std::span<const Sample> first,
                                       std::span<const Sample> second, const MetricSpec& metric) {
  HONE_TRY(const std::vector<double> before, log_ratios(first, metric));
  HONE_TRY(const std::vector<double> after, log_ratios(second, metric));
  HONE_TRY(const Interval difference, location_difference(before, after, kVerifyConfidence));
  return Agreement{difference, before.size(), after.size()};
}

}  // namespace hone
