#include "common/stats/detectable.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "common/stats/median.h"
#include "common/stats/normal.h"

namespace hone {
namespace {

// (multiplier + z_power) * sqrt(pi / 3): the standardised effect times sqrt(n).
double reach(double multiplier, double power) {
  return (multiplier + normal_quantile(power)) * std::sqrt(std::numbers::pi / 3);
}

}  // namespace

double robust_sigma(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  const double centre = median(copy);
  for (double& value : copy) {
    value = std::abs(value - centre);
  }
  return 1.4826 * median(std::move(copy));
}

double detectable_effect(double sigma, std::size_t pairs, double multiplier, double power) {
  if (pairs == 0) {
    return std::numeric_limits<double>::infinity();
  }
  return reach(multiplier, power) * sigma / std::sqrt(static_cast<double>(pairs));
}

std::size_t pairs_needed(double sigma, double effect, double multiplier, double power) {
  const double root = reach(multiplier, power) * sigma / effect;
  return static_cast<std::size_t>(std::ceil(std::max(0.0, root * root)));
}

}  // namespace hone
