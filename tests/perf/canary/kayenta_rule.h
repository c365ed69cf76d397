// Kayenta's NetflixACAJudge-v1.0, written anew from its description, to judge the same traces by.
//
// Per metric the values of both groups, one a window, are compared by Mann and Whitney's test: the
// 98 % interval of the Hodges-Lehmann shift must lie beyond a quarter of the estimate for High or
// Low. All our metrics fail on High only (direction: increase). The score is the share of metrics
// that pass; a canary fails below `marginal` at a look on the way and below `pass` at the end
// (common settings: 75 and 95). Identical sets pass.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace hone {

inline bool kayenta_says_high(std::span<const double> baseline, std::span<const double> canary) {
  constexpr double kQuantile = 2.326;  // 98 %, two-sided
  constexpr double kTolerance = 0.25;
  std::vector<double> shifts;
  shifts.reserve(baseline.size() * canary.size());
  for (const double after : canary) {
    for (const double before : baseline) {
      shifts.push_back(after - before);
    }
  }
  if (shifts.empty()) {
    return false;
  }
  std::ranges::sort(shifts);
  const auto n = static_cast<double>(baseline.size());
  const auto m = static_cast<double>(canary.size());
  const double rank =
      std::max(0.0, std::floor(n * m / 2 - kQuantile * std::sqrt(n * m * (n + m + 1) / 12)));
  const double estimate = shifts[shifts.size() / 2];
  const double low = shifts[static_cast<std::size_t>(rank)];
  return low > kTolerance * std::abs(estimate) && low > 0;
}

// metrics[i] holds both groups' values of metric i so far. The score, 0 to 100.
struct KayentaMetric {
  std::vector<double> baseline;
  std::vector<double> canary;
};

inline double kayenta_score(std::span<const KayentaMetric> metrics) {
  double passes = 0;
  for (const KayentaMetric& metric : metrics) {
    passes += kayenta_says_high(metric.baseline, metric.canary) ? 0 : 1;
  }
  return 100 * passes / static_cast<double>(metrics.size());
}

}  // namespace hone
