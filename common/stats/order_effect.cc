#include "common/stats/order_effect.h"

#include <algorithm>
#include <cstddef>

#include "common/stats/median.h"

namespace hone {

double order_effect(std::span<const PairedSample> samples) {
  const auto first = static_cast<std::size_t>(
      std::ranges::count(samples, RunOrder::baseline_first, &PairedSample::order));
  const std::size_t second = samples.size() - first;
  if (std::min(first, second) < 2 || 2 * std::min(first, second) < std::max(first, second)) {
    return 0;
  }
  std::vector<double> signed_ratios;
  signed_ratios.reserve(samples.size());
  for (const PairedSample& sample : samples) {
    signed_ratios.push_back(order_sign(sample.order) * sample.log_ratio);
  }
  return median(std::move(signed_ratios));
}

std::vector<double> order_adjusted(std::span<const PairedSample> samples) {
  const double effect = order_effect(samples);
  std::vector<double> adjusted;
  adjusted.reserve(samples.size());
  for (const PairedSample& sample : samples) {
    adjusted.push_back(sample.log_ratio - order_sign(sample.order) * effect);
  }
  return adjusted;
}

}  // namespace hone
