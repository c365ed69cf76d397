// What canaries of a target taught, as GET /v1/canaries?experience=1 tells it: for whoever proposes
// what is tried next. Plain values. Thread safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/policy/policy.h"
#include "common/protocol/canary.h"
#include "common/protocol/reward_estimate.h"
#include "common/protocol/values.h"

namespace hone {

// What staging measured of it, and against what.
struct StagedReward {
  BaselineKind baseline = BaselineKind::o3;
  RewardEstimate reward;
};

// A policy, as what was decided and what staging knew of it.
struct LessonPolicy {
  std::int64_t version = 0;
  std::string candidate;  // id; empty: it was published by hand
  std::vector<Rule> rules;
  std::optional<StagedReward> staging;
};

struct CanaryLesson {
  std::string canary;  // id
  LessonPolicy tried;
  std::optional<LessonPolicy> known_good;  // what it was compared with; absent: the plain build
  CanaryState state = CanaryState::promoted;
  CanaryCause cause = CanaryCause::none;
  bool in_force = false;  // it was promoted, and its policy still serves
  // ln(SLI of the baseline / SLI of the canary) of the first rule's indicator; of one that was
  // withdrawn for harm the least of that and of the indicators that were found worse, so that it
  // counts for what it lost by. Absent if it told nothing.
  std::optional<RewardEstimate> production;

  // Rolled back for what it did itself.
  bool withdrawn() const { return state == CanaryState::rolled_back && is_its_own_fault(cause); }
};

// Of the answer's items, in their order; those that have not ended are left out. invalid_argument
// for what is not understood.
Result<std::vector<CanaryLesson>> parse_canary_lessons(const Json& items);

}  // namespace hone
