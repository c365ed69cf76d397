#include "server/learner/proposing/trial.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "common/protocol/candidate.h"
#include "common/protocol/fields.h"
#include "common/protocol/reward_estimate.h"
#include "common/protocol/values.h"

namespace hone {
namespace {

// An interval is never taken for better than this: what a pair of links differs by stays.
constexpr double kLeastDeviation = 0.001;
constexpr double kQuantile = 1.959964;  // of a normal distribution's 95 % interval

// What says something about the candidate; the others are the baseline's or nobody's fault.
bool is_its_own_fault(Outcome outcome) {
  return outcome == Outcome::build_failed || outcome == Outcome::compiler_crashed ||
         outcome == Outcome::timed_out || outcome == Outcome::limit_exceeded ||
         outcome == Outcome::miscompiled;
}

void read_race(ObjectReader& race, Trial& trial) {
  const std::optional<Outcome> outcome =
      race.optional_one_of("outcome", parse_outcome, kOutcomeChoices);
  if (!outcome) {
    return;
  }
  trial.failed = is_its_own_fault(*outcome);
  const std::optional<Verdict> verdict =
      race.optional_one_of("verdict", parse_verdict, kVerdictChoices);
  std::optional<RewardEstimate> reward;
  race.optional_object("reward", [&](ObjectReader& nested) { reward = read_reward(nested); });
  if (*outcome != Outcome::ok) {
    return;
  }
  if (reward) {
    const double deviation = (reward->high - reward->low) / (2 * kQuantile);
    trial.reward = TrialReward{reward->value, std::max(deviation, kLeastDeviation)};
  } else if (verdict == Verdict::no_change) {
    trial.reward = TrialReward{0, kEqualDeviation};
  }
}

std::vector<Trial> read_trials(ObjectReader& reader) {
  std::vector<Trial> trials;
  reader.each("items", 100 * kMaxCandidates, [&trials](ObjectReader& item) {
    Trial trial;
    const Candidate candidate = read_candidate(item);
    trial.candidate = candidate.id;
    trial.origin = candidate.origin;
    const bool raced = item.has("job");
    item.optional_object("job", [&trial](ObjectReader& race) { read_race(race, trial); });
    std::optional<Assignment> assignment = assignment_of(candidate.rules);
    if (raced && assignment) {
      trial.assignment = *std::move(assignment);
      trials.push_back(std::move(trial));
    }
  });
  return trials;
}

}  // namespace

Result<std::vector<Trial>> trials_from_json(const Json& items) {
  return parse_document(Json{{"items", items}}, UnknownKeys::ignore, "candidates", read_trials);
}

}  // namespace hone
