// One group's window, made of the raw samples of its instances.
//
// Increases are taken between the last samples at or before the window's two ends, instance by
// instance, so that windows which follow each other leave nothing out and count nothing twice. A
// counter that fell, an instance that was not there at the start, a sample that is too old at an
// end: each makes the group's window an outcome that is not ok, with no counts at all. Thread safe.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "server/rewards/raw_series.h"
#include "server/rewards/sli_window.h"

namespace hone {

struct WindowSpan {
  double start = 0;     // seconds since 1970
  double seconds = 0;   // long
  double most_age = 0;  // of the last sample at an end; some two scrape intervals
};

// The series of one group. Buckets carry the label "le" and are cumulative, as exported.
struct GroupSeries {
  std::span<const RawSeries> buckets;
  std::span<const RawSeries> failures;     // of NAME_total; none: no failures are counted
  std::span<const RawSeries> cpu_seconds;  // none: not known, 0
};

// The upper end of a bucket, by its label "le"; infinity for "+Inf", nothing for what is no number.
std::optional<double> bucket_bound(const RawSeries& series);

// The bounds of the group's histogram, from its labels; the first instance's, since all must agree.
// invalid_argument where they differ, or there is no "+Inf"; empty for no series.
Result<BucketBounds> bucket_bounds(std::span<const RawSeries> buckets);

// invalid_argument if an instance has other buckets than `bounds`.
Result<GroupWindow> read_window(const GroupSeries& series, std::span<const double> bounds,
                                const WindowSpan& span);

}  // namespace hone
