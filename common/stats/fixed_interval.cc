#include "common/stats/fixed_interval.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "common/base/random.h"
#include "common/stats/normal.h"
#include "common/stats/signed_rank.h"
#include "common/stats/walsh.h"

namespace hone {
namespace {

constexpr std::size_t kLeastForBootstrap = 8;
constexpr std::size_t kLeastResamples = 100;

Result<void> check(std::span<const double> values, double confidence) {
  if (std::isnan(confidence) || confidence <= 0 || confidence >= 1) {
    return fail(ErrorCode::invalid_argument,
                "the confidence " + std::to_string(confidence) + " is not between 0 and 1");
  }
  if (values.empty()) {
    return fail(ErrorCode::invalid_argument, "there is no interval of no values");
  }
  if (!std::ranges::all_of(values, [](double value) { return std::isfinite(value); })) {
    return fail(ErrorCode::invalid_argument, "a value is not finite");
  }
  return {};
}

}  // namespace

Result<Interval> wilcoxon_interval(std::span<const double> values, double confidence) {
  HONE_CHECK(check(values, confidence));
  const double half_alpha = (1 - confidence) / 2;
  if (values.size() > kExactSignedRankLimit) {
    return walsh_interval(values, -normal_quantile(half_alpha));
  }
  // A hair of slack: 1 - 0.95 is not exactly 0.05.
  // The shifts that the exact test does not reject end at the k-th smallest and largest average.
  const std::size_t k = signed_rank_rejected(values.size(), half_alpha * (1 + 1e-12));
  if (k == 0) {
    return fail(ErrorCode::invalid_argument, std::to_string(values.size()) +
                                                 " values cannot give an interval of confidence " +
                                                 std::to_string(confidence));
  }
  return walsh_interval_at(values, k - 1);
}

Result<Interval> bootstrap_interval(std::span<const double> values, double confidence,
                                    std::uint64_t seed, std::size_t resamples) {
  HONE_CHECK(check(values, confidence));
  if (values.size() < kLeastForBootstrap || resamples < kLeastResamples) {
    return fail(ErrorCode::invalid_argument,
                "a bootstrap needs " + std::to_string(kLeastForBootstrap) + " values and " +
                    std::to_string(kLeastResamples) + " resamples");
  }
  Random random(seed);
  std::vector<double> estimates;
  estimates.reserve(resamples);
  std::vector<double> resample(values.size());
  for (std::size_t i = 0; i < resamples; ++i) {
    for (double& value : resample) {
      value = values[random.below(values.size())];
    }
    estimates.push_back(hodges_lehmann(resample));
  }
  std::ranges::sort(estimates);
  // The quantile at position p * (R + 1), the definition that is unbiased for order statistics.
  const auto quantile = [&](double p) {
    const double position = p * static_cast<double>(resamples + 1) - 1;
    const double clamped = std::clamp(position, 0.0, static_cast<double>(resamples - 1));
    const auto below = static_cast<std::size_t>(clamped);
    const std::size_t above = std::min(below + 1, resamples - 1);
    return std::lerp(estimates[below], estimates[above], clamped - std::floor(clamped));
  };
  const double half_alpha = (1 - confidence) / 2;
  return Interval{quantile(half_alpha), hodges_lehmann(values), quantile(1 - half_alpha)};
}

}  // namespace hone
