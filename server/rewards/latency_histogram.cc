#include "server/rewards/latency_histogram.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <string>

namespace hone {

Result<void> check_bounds(std::span<const double> bounds) {
  if (bounds.empty() || bounds.size() > kMostBuckets) {
    return fail(ErrorCode::invalid_argument, "a histogram has 1 to " +
                                                 std::to_string(kMostBuckets) + " bounds, not " +
                                                 std::to_string(bounds.size()));
  }
  double last = 0;
  for (const double bound : bounds) {
    if (!std::isfinite(bound) || bound <= last) {
      return fail(ErrorCode::invalid_argument,
                  "the bounds of a histogram must be finite, above 0 and ascend: " +
                      std::to_string(bound) + " follows " + std::to_string(last));
    }
    last = bound;
  }
  return {};
}

double histogram_quantile(std::span<const double> bounds, std::span<const double> counts,
                          double q) {
  const double total = std::accumulate(counts.begin(), counts.end(), 0.0);
  if (!(total > 0)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const double rank = q * total;
  double below = 0;
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    if (below + counts[i] >= rank && counts[i] > 0) {
      const double start = i == 0 ? 0 : bounds[i - 1];
      return std::lerp(start, bounds[i], (rank - below) / counts[i]);
    }
    below += counts[i];
  }
  return bounds.back();
}

}  // namespace hone
