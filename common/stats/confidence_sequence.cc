#include "common/stats/confidence_sequence.h"

#include <cmath>
#include <limits>

#include <boost/math/distributions/students_t.hpp>

#include "common/stats/normal.h"

namespace hone {
namespace {

// The quantile of Student's t whose tail is that of the normal quantile z > 0.
double student_of_normal(double z, double degrees) {
  const double tail = normal_cdf(-z);
  return boost::math::quantile(
      boost::math::complement(boost::math::students_t_distribution<double>(degrees), tail));
}

}  // namespace

double sequence_multiplier(const ConfidenceSequence& sequence, std::size_t observations) {
  if (observations < sequence.first || observations < 4) {
    return std::numeric_limits<double>::infinity();
  }
  // The mixture's variance at which the boundary is narrowest at `tightest` (their equation 27).
  const double tail = -2 * std::log(sequence.alpha);
  const double mixture = (tail + std::log(tail) + 1) / sequence.tightest;
  const auto t = static_cast<double>(observations);
  const double grown = t * mixture + 1;
  const double half_width =
      std::sqrt(2 * grown / (t * t * mixture) * std::log(std::sqrt(grown) / sequence.alpha));
  return student_of_normal(half_width * std::sqrt(t), t - 1);
}

}  // namespace hone
