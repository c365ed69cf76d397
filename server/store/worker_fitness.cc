#include "server/store/worker_fitness.h"

#include <cmath>
#include <cstdio>

namespace hone {
namespace {

std::string percent(double log_ratio) {
  char text[32];
  std::snprintf(text, sizeof text, "%+.1f %%", 100 * std::expm1(log_ratio));
  return text;
}

}  // namespace

Fitness fitness_after(const SelfCheck& check, const FitnessBefore& before) {
  Fitness fitness;
  if (before.baseline_value) {
    fitness.drift = std::log(check.baseline_value / *before.baseline_value);
  }
  const bool false_call = check.verdict == Verdict::faster || check.verdict == Verdict::slower;
  const bool noisy = check.verdict == Verdict::too_noisy && before.others_are_fit;
  if (!false_call && !noisy) {
    return fitness;
  }
  fitness.bad_in_a_row = before.bad_in_a_row + 1;
  if (fitness.bad_in_a_row > kBadChecksAllowed) {
    const std::string times = std::to_string(fitness.bad_in_a_row);
    fitness.unfit_reason =
        false_call ? "its last " + times +
                         " comparisons of the baseline with itself found a difference or were too "
                         "noisy; the last: " +
                         percent(check.reward.value) + " [" + percent(check.reward.low) + ", " +
                         percent(check.reward.high) + "]"
                   : "too noisy in its last " + times + " checks: a pair varies by " +
                         percent(check.reward.noise) + ", while others can measure this target";
  }
  return fitness;
}

}  // namespace hone
