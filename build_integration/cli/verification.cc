#include "build_integration/cli/verification.h"

#include <algorithm>

#include "build_integration/cli/sample_pairs.h"
#include "common/stats/difference.h"
#include "common/stats/order_effect.h"

namespace hone {
namespace {

bool all_alike(const std::vector<double>& values) {
  return !values.empty() &&
         std::ranges::all_of(values, [&](double value) { return value == values.front(); });
}

}  // namespace

Result<std::vector<double>> log_ratios(std::span<const Sample> samples, const MetricSpec& metric) {
  HONE_TRY(const std::vector<PairedSample> pairs, pairs_of(samples, metric));
  return order_adjusted(pairs);
}

Result<Agreement> compare_measurements(std::span<const Sample> first,
                                       std::span<const Sample> second, const MetricSpec& metric) {
  HONE_TRY(const std::vector<double> before, log_ratios(first, metric));
  HONE_TRY(const std::vector<double> after, log_ratios(second, metric));
  if (is_repeatable(metric.metric) && all_alike(before) && all_alike(after)) {
    // Numbers that are the same in every run: how many runs there were says nothing.
    const double change = after.front() - before.front();
    return Agreement{{change, change, change}, before.size(), after.size()};
  }
  HONE_TRY(const Interval difference, location_difference(before, after, kVerifyConfidence));
  return Agreement{difference, before.size(), after.size()};
}

}  // namespace hone
