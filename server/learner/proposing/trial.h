// A candidate that was tried, or is being tried, and what came of it: what proposing learns from.
// Plain values. Thread safe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/json/document.h"
#include "server/learner/proposing/assignment.h"

namespace hone {

// Standard deviation of the worth of equal binaries: they are equal, whatever the machine does.
inline constexpr double kEqualDeviation = 0.0002;

// A measured reward as a normal distribution.
struct TrialReward {
  double value = 0;               // ln(T_baseline / T_candidate)
  double standard_deviation = 0;  // of the value, from its interval
  bool operator==(const TrialReward&) const = default;
};

struct Trial {
  std::string candidate;  // id
  std::string origin;     // kLastWinner, "knob", ...
  Assignment assignment;
  std::optional<TrialReward> reward;  // of the race; a binary equal to the baseline's has 0
  bool failed = false;                // it was built or run, and that failed: not to be tried again
  // What canaries made of it (production_trials.h).
  bool withdrawn = false;  // rolled back for what it did: neither tried again nor built upon
  bool in_force = false;   // promoted, and what serves now: the first to be built upon
  bool elsewhere = false;  // no candidate of this campaign
};

// Of the items of GET /v1/campaigns/{id}/candidates. Left out are candidates whose rules are no
// assignment. invalid_argument for what is not understood.
Result<std::vector<Trial>> trials_from_json(const Json& items);

}  // namespace hone
