// What could be known of a canary after each of its windows: the judge asked again of what is
// stored, so that what led to a decision can be looked at. Tables of columns, as views have them;
// what a window does not tell is null, never 0. Thread safe.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "common/json/document.h"
#include "server/canaries/window_json.h"

namespace hone {

struct StoredSeries {
  BucketBounds bounds;  // empty while no window had any
  std::vector<SliWindow> windows;
};

// invalid_argument for windows that are none of ours.
Result<StoredSeries> parse_series(std::span<const CanaryWindow> stored);

// A row for each window from number `from` on: when, its share, both outcomes, and the counts of a
// group whose outcome is ok.
Json windows_table(std::span<const CanaryWindow> stored, const StoredSeries& series,
                   std::size_t from);

// A row for each such window and rule: both groups' indicator in that window alone (`own` is its
// log ratio), and what all windows until then come to: `value`, `low` and `high` (null: no end is
// known), `detectable` and `finding`. Of more than `most_judged` windows only every n-th is judged,
// and the last; a row without a finding was not. Errors of judge_canary().
Result<Json> ratios_table(std::span<const SliRule> rules, const StoredSeries& series,
                          std::size_t from, std::size_t most_judged);

}  // namespace hone
