// Limits whose breach in the newest window ends a canary at once.
//
// Where the judge compares with the baseline over all windows, a limit is absolute and asks for one
// window only, as a service level objective does; so that chance alone is no breach, it must be
// exceeded with 99.9 % confidence by that window's own requests. Thread safe.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/protocol/service_spec.h"
#include "server/rewards/sli_window.h"

namespace hone {

struct LimitSettings {
  std::vector<HardLimit> limits{};  // as parse_service_spec() has them
  std::size_t absences = 2;         // of the last `absence_windows`: windows of the canary that are
  std::size_t absence_windows = 3;  // lost while the baseline's are known, before it counts as down
};

// Why the canary must go, from the newest windows (in order of time); nothing if it may stay.
// A window in which the baseline is unknown too is no sign: then it is Prometheus that is missing.
std::optional<std::string> breach(std::span<const double> bounds, std::span<const SliWindow> series,
                                  const LimitSettings& settings);

}  // namespace hone
