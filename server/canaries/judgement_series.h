// What could be known of a canary after each of its windows: the judge asked again of what is
// stored, so that what led to a decision can be looked at. Tables of columns, as views have them;
// what a window does not tell is null, never 0. Thread safe.
#pragma once

#include <cstddef>
#include <span>

#include "common/json/document.h"
#include "server/canaries/window_series.h"
#include "server/rewards/canary_judge.h"

namespace hone {

// A row for each window from number `from` on: when, its share, both outcomes, and the counts of a
// group whose outcome is ok.
Json windows_table(std::span<const CanaryWindow> stored, const WindowSeries& series,
                   std::size_t from);

// A row for each such window and rule: both groups' indicator in that window alone (`own` is its
// log ratio), and what all windows until then come to: `value`, `low` and `high` (null: no end is
// known), `detectable` and `finding`. Of more than `most_judged` windows only every n-th is judged,
// and the last; a row without a finding was not. Errors of judge_canary().
Result<Json> ratios_table(std::span<const SliRule> rules, const WindowSeries& series,
                          std::size_t from, std::size_t most_judged);

}  // namespace hone
