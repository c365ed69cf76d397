#include "server/rewards/hard_limits.h"

#include <algorithm>
#include <cmath>

#include <boost/math/special_functions/beta.hpp>
#include <fmt/format.h>

#include "server/rewards/sli.h"

namespace hone {
namespace {

constexpr double kChance = 0.001;  // of a breach where the limit is met exactly

// The least share with which so many hits are not surprising: Clopper and Pearson's lower limit,
// exact also for the few requests of a small share of traffic.
double least_share(double hits, double requests) {
  const double whole = std::floor(hits);
  return whole < 1 ? 0 : boost::math::ibeta_inv(whole, requests - whole + 1, kChance);
}

// The requests that took longer than `limit`, those of its bucket in proportion.
double slower_than(std::span<const double> bounds, std::span<const double> counts, double limit) {
  double slower = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double start = i == 0 ? 0 : bounds[i - 1];
    if (i == bounds.size()) {
      slower += counts[i];
    } else if (bounds[i] > limit) {
      slower += counts[i] * std::min(1.0, (bounds[i] - limit) / (bounds[i] - start));
    }
  }
  return slower;
}

std::optional<double> quantile_of(Sli sli) {
  switch (sli) {
    case Sli::latency_p50:
      return 0.5;
    case Sli::latency_p95:
      return 0.95;
    case Sli::latency_p99:
      return 0.99;
    default:
      return std::nullopt;
  }
}

// A quantile lies above the limit where more requests are slower than the quantile leaves.
bool exceeds(const HardLimit& limit, std::span<const double> bounds, const GroupWindow& canary) {
  if (const std::optional<double> q = quantile_of(limit.sli)) {
    const double slower = slower_than(bounds, canary.latencies, limit.limit);
    return least_share(slower, canary.requests) > 1 - *q;
  }
  if (limit.sli == Sli::failure_share) {
    return least_share(canary.failures, canary.requests) > limit.limit;
  }
  return canary.requests >= least_requests(limit.sli) &&
         sli_value(limit.sli, bounds, canary) > limit.limit;
}

std::optional<std::string> absence(std::span<const SliWindow> series,
                                   const LimitSettings& settings) {
  const std::size_t looked_at = std::min(series.size(), settings.absence_windows);
  std::size_t lost = 0;
  WindowOutcome last = WindowOutcome::ok;
  for (const SliWindow& window : series.last(looked_at)) {
    const WindowOutcome outcome = window.canary.outcome;
    if (window.baseline.outcome == WindowOutcome::ok &&
        (outcome == WindowOutcome::counter_reset || outcome == WindowOutcome::scrape_gap ||
         outcome == WindowOutcome::no_data || outcome == WindowOutcome::unreached)) {
      ++lost;
      last = outcome;
    }
  }
  if (lost < settings.absences) {
    return std::nullopt;
  }
  return fmt::format(
      "the canary was down in {} of the last {} windows ({}), while the baseline was not", lost,
      looked_at, to_string(last));
}

}  // namespace

std::optional<std::string> breach(std::span<const double> bounds, std::span<const SliWindow> series,
                                  const LimitSettings& settings) {
  if (series.empty()) {
    return std::nullopt;
  }
  if (auto down = absence(series, settings)) {
    return down;
  }
  const GroupWindow& canary = series.back().canary;
  if (canary.outcome != WindowOutcome::ok) {
    return std::nullopt;
  }
  for (const HardLimit& limit : settings.limits) {
    if (exceeds(limit, bounds, canary)) {
      return fmt::format(
          "{} of the canary is {:.6g}, above its limit of {:.6g}, in {:.0f} requests",
          to_string(limit.sli), sli_value(limit.sli, bounds, canary), limit.limit, canary.requests);
    }
  }
  return std::nullopt;
}

}  // namespace hone
