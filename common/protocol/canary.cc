#include "common/protocol/canary.h"

#include "common/protocol/fields.h"

namespace hone {
namespace {

constexpr CanaryState kStates[] = {CanaryState::prepared,    CanaryState::ramping,
                                   CanaryState::judged,      CanaryState::promoted,
                                   CanaryState::rolled_back, CanaryState::aborted};
constexpr CanaryCause kCauses[] = {
    CanaryCause::none,         CanaryCause::harm,      CanaryCause::limit,  CanaryCause::budget,
    CanaryCause::lost_windows, CanaryCause::undecided, CanaryCause::by_hand};

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

std::string_view to_string(CanaryCause cause) {
  switch (cause) {
    case CanaryCause::none:
      return "none";
    case CanaryCause::harm:
      return "harm";
    case CanaryCause::limit:
      return "limit";
    case CanaryCause::budget:
      return "budget";
    case CanaryCause::lost_windows:
      return "lost_windows";
    case CanaryCause::undecided:
      return "undecided";
    case CanaryCause::by_hand:
      return "by_hand";
  }
  return "";
}

std::optional<CanaryCause> parse_canary_cause(std::string_view text) {
  for (const CanaryCause cause : kCauses) {
    if (to_string(cause) == text) {
      return cause;
    }
  }
  return std::nullopt;
}

bool is_its_own_fault(CanaryCause cause) {
  return cause == CanaryCause::harm || cause == CanaryCause::limit;
}

Json to_json(const CanaryStatus& status) {
  return {{"state", spelling(status.state)},
          {"step", status.step},
          {"step_windows", status.step_windows},
          {"lost_windows", status.lost_windows},
          {"share", status.share},
          {"reason", status.reason},
          {"cause", status.cause == CanaryCause::none ? Json() : Json(spelling(status.cause))}};
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
          {"known_good", null_if_absent(canary.known_good)},
          {"policy_in_force", null_if_absent(canary.policy_in_force)},
          {"campaign", null_if_empty(canary.campaign)},
          {"candidate", null_if_empty(canary.candidate)},
          {"log_propensity", null_if_absent(canary.log_propensity)},
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
