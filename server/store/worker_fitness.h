// Whether a worker may measure a target, by its comparisons of the baseline with itself. Thread
// safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/protocol/self_check.h"

namespace hone {

// Checks in a row that put a worker out of rotation. One false call comes by chance in one of
// twenty checks, two in a row in one of four hundred.
inline constexpr std::int64_t kBadChecksAllowed = 1;
// A check is due after this time, and after every bad one.
inline constexpr std::int64_t kCheckIntervalSeconds = 6 * 3600;
// A worker that is out of rotation is given a job again after this time, with a check.
inline constexpr std::int64_t kUnfitSeconds = 3600;

struct Fitness {
  std::int64_t bad_in_a_row = 0;
  std::optional<double> drift;  // ln of the baseline's metric against the check before
  std::string unfit_reason;     // empty: fit
};

// What was known before a check.
struct FitnessBefore {
  std::int64_t bad_in_a_row = 0;
  std::optional<double> baseline_value{};  // absent: this is the first check
  bool others_are_fit = false;             // another worker's last check of this target was good
};

// What follows from a check. A false call is bad; a check that is too noisy is bad if others are
// fit, else it is the benchmark that is noisy and no other worker would do better.
Fitness fitness_after(const SelfCheck& check, const FitnessBefore& before);

}  // namespace hone
