#include "common/protocol/canary.h"

#include "common/protocol/fields.h"

namespace hone {
namespace {

constexpr CanaryState kStates[] = {CanaryState::prepared,    CanaryState::ramping,
                                   CanaryState::judged,      CanaryState::promoted,
                                   CanaryState::rolled_back, CanaryState::aborted};

}  // namespace

std::string_view to_string(CanaryState state) {
  switch (state) {
    case CanaryState::prepared:
      return "prepared";
    case CanaryState::ramping:
      return "ramping";
    case CanaryState::judged:
      return "judged";
    case CanaryState::promoted:
      return "promoted";
    case CanaryState::rolled_back:
      return "rolled_back";
    case CanaryState::aborted:
      return "aborted";
  }
  return "";
}

std::optional<CanaryState> parse_canary_state(std::string_view text) {
  for (const CanaryState state : kStates) {
    if (to_string(state) == text) {
      return state;
    }
  }
  return std::nullopt;
}

bool has_ended(CanaryState state) {
  return state == CanaryState::promoted || state == CanaryState::rolled_back ||
         state == CanaryState::aborted;
}

Json to_json(const CanaryStatus& status) {
  return {{"state", spelling(status.state)},
          {"step", status.step},
          {"step_windows", status.step_windows},
          {"lost_windows", status.lost_windows},
          {"share", status.share},
          {"reason", status.reason}};
}

Json to_json(const CanaryView& canary) {
  return {{"id", canary.id},
          {"target", canary.spec.target},
          {"policy_version", canary.spec.policy_version},
          {"spec", to_json(canary.spec)},
          {"service", to_json(canary.service)},
          {"status", to_json(canary.status)},
          {"follows", canary.follows},
          {"windows", canary.windows},
          {"judgement", canary.judgement},
          {"budget", canary.budget},
          {"created_at", canary.created_at},
          {"created_by", null_if_empty(canary.created_by)},
          {"ended_at", null_if_empty(canary.ended_at)}};
}

Json to_json(const CanaryDecision& decision) {
  return {{"at", decision.at},         {"state", spelling(decision.state)},
          {"share", decision.share},   {"windows", decision.windows},
          {"reason", decision.reason}, {"judgement", decision.judgement}};
}

}  // namespace hone
