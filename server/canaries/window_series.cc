#include "server/canaries/window_series.h"

#include "common/json/document.h"
#include "server/canaries/window_json.h"

namespace hone {
namespace {

Result<BucketBounds> stored_bounds(const Json& group) {
  BucketBounds bounds;
  const auto list = group.find("bounds");
  if (list == group.end() || !list->is_array()) {
    return bounds;
  }
  for (const Json& bound : *list) {
    bounds.push_back(bound.is_number() ? bound.get<double>() : 0);
  }
  if (!bounds.empty()) {
    HONE_CHECK(check_bounds(bounds));
  }
  return bounds;
}

}  // namespace

Result<WindowSeries> parse_series(const std::vector<CanaryWindow>& stored) {
  WindowSeries series;
  for (const CanaryWindow& window : stored) {
    HONE_TRY(SliWindow parsed, parse_window(window));
    if (series.bounds.empty()) {
      HONE_TRY(series.bounds, stored_bounds(window.baseline));
    }
    series.windows.push_back(std::move(parsed));
  }
  return series;
}

CanaryWindow stored_window(const SliWindow& window, const CanaryView& canary,
                           const BucketBounds& bounds) {
  CanaryWindow row;
  row.number = canary.windows;
  row.start = window.start;
  row.seconds = window.seconds;
  row.share = canary.status.share;
  row.baseline = to_json(window.baseline);
  row.canary = to_json(window.canary);
  row.baseline["bounds"] = bounds;
  return row;
}

SliWindow lost_window(double start, double seconds, WindowOutcome outcome) {
  SliWindow window;
  window.start = start;
  window.seconds = seconds;
  window.baseline.outcome = outcome;
  window.canary.outcome = outcome;
  return window;
}

}  // namespace hone
