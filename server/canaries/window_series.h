// A canary's windows as the store has them and as they are judged. Thread safe.
#pragma once

#include <vector>

#include "server/rewards/sli_window.h"
#include "server/store/canary_store.h"

namespace hone {

struct WindowSeries {
  BucketBounds bounds;  // of all of them; empty: none has told any yet
  std::vector<SliWindow> windows;
};
// In order. invalid_argument for windows that are none of ours.
Result<WindowSeries> parse_series(const std::vector<CanaryWindow>& stored);

// The canary's next window, as it is stored.
CanaryWindow stored_window(const SliWindow& window, const CanaryView& canary,
                           const BucketBounds& bounds);

// One that told nothing of either group.
SliWindow lost_window(double start, double seconds, WindowOutcome outcome);

}  // namespace hone
