#include "common/stats/normal.h"

#include <cmath>
#include <limits>
#include <numbers>

#include <boost/math/special_functions/erf.hpp>

namespace hone {

double normal_cdf(double z) {
  return 0.5 * std::erfc(-z / std::numbers::sqrt2);
}

double normal_quantile(double p) {
  if (std::isnan(p) || p < 0 || p > 1) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (p == 0 || p == 1) {
    return p == 0 ? -std::numeric_limits<double>::infinity()
                  : std::numeric_limits<double>::infinity();
  }
  return -std::numbers::sqrt2 * boost::math::erfc_inv(2 * p);
}

}  // namespace hone
