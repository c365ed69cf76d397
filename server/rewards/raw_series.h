// Samples of one time series as Prometheus stores them, and its reply that holds them.
//
// Raw samples (a range selector, not rate()) are what resets and gaps can be seen in: rate() covers
// both up. Plain values; thread safe.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace hone {

struct RawSample {
  double time = 0;   // seconds since 1970
  double value = 0;  // may be NaN or infinite
};

struct RawSeries {
  std::map<std::string, std::string> labels;
  std::vector<RawSample> samples;  // in order of time

  // The label's value, or "".
  std::string_view label(const std::string& name) const;
};

// Series in one reply, samples in all of them: beyond, the reply is refused.
inline constexpr std::size_t kMostSeries = 20'000;
inline constexpr std::size_t kMostSamples = 2'000'000;

// The reply of /api/v1/query to a range selector (resultType "matrix"; Prometheus' HTTP API 2.42).
// invalid_argument for anything else, with Prometheus' own error where it sent one; too_large.
Result<std::vector<RawSeries>> parse_matrix(std::string_view reply);

// The reply to an instant selector or aggregation (resultType "vector"): series of one sample each.
Result<std::vector<RawSeries>> parse_vector(std::string_view reply);

// The one number of a reply to an aggregation (resultType "vector"); 0 where it is of no series.
// invalid_argument for several, for NaN and infinity, and as above.
Result<double> parse_single(std::string_view reply);

}  // namespace hone
