#include "common/stats/difference.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <boost/math/distributions/students_t.hpp>

#include "common/stats/walsh.h"

namespace hone {
namespace {

constexpr std::size_t kLeastValues = 6;
// The interval whose half width, divided by this, is the standard error. At 2.0 the discreteness of
// small samples makes it a little too large, never too small.
constexpr double kErrorMultiplier = 2.0;

struct Location {
  double estimate = 0;
  double error = 0;    // standard error of the estimate
  double freedom = 1;  // degrees of freedom of that
};

double error_of_mean(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  double mean = 0;
  for (const double value : values) {
    mean += value / n;
  }
  double squares = 0;
  for (const double value : values) {
    squares += (value - mean) * (value - mean);
  }
  return std::sqrt(squares / (n - 1) / n);
}

Location locate(std::span<const double> values) {
  const Interval interval = walsh_interval(values, kErrorMultiplier);
  Location location;
  location.estimate = interval.estimate;
  location.error = (interval.high - interval.low) / (2 * kErrorMultiplier);
  location.freedom = static_cast<double>(values.size() - 1);
  if (location.error <= 0) {  // most values are equal
    location.error = error_of_mean(values);
  }
  return location;
}

Result<void> check(std::span<const double> values) {
  if (values.size() < kLeastValues) {
    return fail(ErrorCode::invalid_argument, "a set of " + std::to_string(values.size()) +
                                                 " values is too small to compare, it takes " +
                                                 std::to_string(kLeastValues));
  }
  if (!std::ranges::all_of(values, [](double value) { return std::isfinite(value); })) {
    return fail(ErrorCode::invalid_argument, "a value is not finite");
  }
  return {};
}

}  // namespace

Result<Interval> location_difference(std::span<const double> first, std::span<const double> second,
                                     double confidence) {
  if (std::isnan(confidence) || confidence <= 0 || confidence >= 1) {
    return fail(ErrorCode::invalid_argument,
                "the confidence " + std::to_string(confidence) + " is not between 0 and 1");
  }
  HONE_CHECK(check(first));
  HONE_CHECK(check(second));
  const Location a = locate(first);
  const Location b = locate(second);
  const double difference = b.estimate - a.estimate;
  const double a2 = a.error * a.error;
  const double b2 = b.error * b.error;
  if (a2 + b2 <= 0) {
    return Interval{difference, difference, difference};
  }
  // Welch and Satterthwaite: between the smaller n - 1 and the sum of both.
  const double freedom = (a2 + b2) * (a2 + b2) / (a2 * a2 / a.freedom + b2 * b2 / b.freedom);
  const boost::math::students_t distribution(freedom);
  const double half =
      boost::math::quantile(boost::math::complement(distribution, (1 - confidence) / 2)) *
      std::sqrt(a2 + b2);
  return Interval{difference - half, difference, difference + half};
}

}  // namespace hone
