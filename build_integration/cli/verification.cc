#include "build_integration/cli/verification.h"

#include "build_integration/cli/sample_pairs.h"
#include "common/stats/difference.h"
#include "common/stats/order_effect.h"

namespace hone {

Result<std::vector<double>> log_ratios(std::span<const Sample> samples, const MetricSpec& metric) {
  HONE_TRY(const std::vector<PairedSample> pairs, pairs_of(samples, metric));
  return order_adjusted(pairs);
}

Result<Agreement> compare_measurements(std::span<const Sample> first,
                                       std::span<const Sample> second, const MetricSpec& metric) {
  HONE_TRY(const std::vector<double> before, log_ratios(first, metric));
  HONE_TRY(const std::vector<double> after, log_ratios(second, metric));
  HONE_TRY(const Interval difference, location_difference(before, after, kVerifyConfidence));
  return Agreement{difference, before.size(), after.size()};
}

}  // namespace hone
