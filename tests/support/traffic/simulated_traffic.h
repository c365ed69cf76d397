// Windows of a made-up service: log-normal latencies whose level wanders with the load, the same
// for both groups, and what a canary may do to it.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "common/base/random.h"
#include "server/rewards/sli_window.h"

namespace hone {

inline double normal_draw(Random& random) {
  const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
  return radius * std::cos(2 * 3.14159265358979 * random.uniform());
}

// Steps of `ratio` from 0.5 ms to 10 s.
inline BucketBounds geometric_bounds(double ratio = 1.06) {
  BucketBounds bounds;
  for (double bound = 0.0005; bound < 10; bound *= ratio) {
    bounds.push_back(bound);
  }
  return bounds;
}

struct TrafficPlan {
  double requests = 2000;     // of both groups in a window, on average
  double canary_share = 0.1;  // of these
  double latency = 0.005;     // seconds, median
  double sigma = 0.3;         // of the logarithm of latencies
  double wander = 0.05;       // standard deviation of the windows' common level, in logarithms
  double own_wander = 0.01;   // of each group's own level in a window
  double failures = 0.001;    // share
  double cpu = 0.002;         // seconds a request
};

// What a canary makes of a latency that the baseline would have had (z: its normal quantile).
using Harm = std::function<double(double seconds, double z)>;

class SimulatedTraffic {
 public:
  SimulatedTraffic(TrafficPlan plan, std::uint64_t seed)
      : plan_(plan), bounds_(geometric_bounds()), random_(seed) {}

  const BucketBounds& bounds() const { return bounds_; }

  SliWindow next(const Harm& harm = {}, double cpu_factor = 1, double failures_added = 0) {
    level_ = 0.7 * level_ + std::sqrt(1 - 0.49) * plan_.wander * normal_draw(random_);
    SliWindow window;
    window.start = 10.0 * static_cast<double>(count_++);
    window.seconds = 10;
    window.baseline = group(1 - plan_.canary_share, {}, 1, 0);
    window.canary = group(plan_.canary_share, harm, cpu_factor, failures_added);
    return window;
  }

 private:
  GroupWindow group(double share, const Harm& harm, double cpu_factor, double failures_added) {
    const double expected = plan_.requests * share;
    const auto requests = static_cast<std::size_t>(
        std::max(1.0, std::round(expected + std::sqrt(expected) * normal_draw(random_))));
    const double level = plan_.latency * std::exp(level_ + plan_.own_wander * normal_draw(random_));
    GroupWindow window;
    window.latencies.assign(bounds_.size() + 1, 0);
    for (std::size_t i = 0; i < requests; ++i) {
      const double z = normal_draw(random_);
      double seconds = level * std::exp(plan_.sigma * z);
      if (harm) {
        seconds = harm(seconds, z);
      }
      const auto bucket = std::ranges::lower_bound(bounds_, seconds) - bounds_.begin();
      window.latencies[static_cast<std::size_t>(bucket)] += 1;
      window.failures += random_.uniform() < plan_.failures + failures_added ? 1 : 0;
      window.cpu_seconds += plan_.cpu * cpu_factor * std::exp(0.2 * normal_draw(random_));
    }
    window.cpu_seconds *= std::exp(plan_.own_wander * normal_draw(random_));
    window.requests = static_cast<double>(requests);
    return window;
  }

  TrafficPlan plan_;
  BucketBounds bounds_;
  Random random_;
  double level_ = 0;
  std::size_t count_ = 0;
};

// +20 % from the 90th percentile up, the median as it was.
inline double slower_tail(double seconds, double z) {
  return z > 1.28 ? seconds * 1.2 : seconds;
}

// Both tails further out by half, the median as it was.
inline Harm wider(double sigma) {
  return [sigma](double seconds, double z) { return seconds * std::exp(0.5 * sigma * z); };
}

}  // namespace hone
