// A canary as it stands: its state machine's words, and what is told of it. Plain values; thread
// safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "common/protocol/canary_spec.h"
#include "common/protocol/service_spec.h"

namespace hone {

enum class CanaryState { prepared, ramping, judged, promoted, rolled_back, aborted };

std::string_view to_string(CanaryState state);
std::optional<CanaryState> parse_canary_state(std::string_view text);
inline constexpr std::string_view kCanaryStateChoices =
    "prepared, ramping, judged, promoted, rolled_back and aborted";
// promoted, rolled_back, aborted.
bool has_ended(CanaryState state);

// Why one that has ended was not promoted. harm: an indicator is worse than the baseline's; limit:
// a hard limit was breached, or it is down; budget: the error budget is spent, or nobody knows it;
// lost_windows: too many in a row told nothing; undecided: harm was not ruled out in time.
enum class CanaryCause { none, harm, limit, budget, lost_windows, undecided, by_hand };

std::string_view to_string(CanaryCause cause);
std::optional<CanaryCause> parse_canary_cause(std::string_view text);
// Whether that says something of the candidate: harm and limit.
bool is_its_own_fault(CanaryCause cause);

struct CanaryStatus {
  CanaryState state = CanaryState::prepared;
  std::size_t step = 0;          // index into the plan's steps, while ramping and judged
  std::size_t step_windows = 0;  // that told something at this step; judged: that it waited
  std::size_t lost_windows = 0;  // in a row that told nothing
  int share = 0;                 // per cent of traffic that the canary may get
  std::string reason;            // for people: why it is in this state
  CanaryCause cause = CanaryCause::none;
  bool operator==(const CanaryStatus&) const = default;
};

struct CanaryView {
  std::string id;
  CanarySpec spec;
  ServiceSpec service;  // as it was when the canary began
  CanaryStatus status;
  bool follows = false;       // whether traffic was last seen to be what it should be
  bool superseded = false;    // whether there is a newer one of the target
  std::int64_t revision = 0;  // counts its changes
  std::int64_t windows = 0;   // that were looked at
  Json judgement;             // the newest; null if there was none
  Json budget;                // likewise, the service's error budget
  std::string created_at;     // RFC 3339
  std::string created_by;     // name of a token
  std::string ended_at;       // RFC 3339; empty while it lives
  // The version in force when it began, which the baseline is said to run; and the one that is in
  // force now.
  std::optional<std::int64_t> known_good;
  std::optional<std::int64_t> policy_in_force;
  // What its policy was made of; empty: it was published by hand.
  std::string campaign;                  // id
  std::string candidate;                 // id
  std::optional<double> log_propensity;  // of the candidate in its set
  Json experience;  // what it taught, as in the replay buffer; null until its traffic has followed
};

// One line of its trail.
struct CanaryDecision {
  std::string at;  // RFC 3339
  CanaryState state = CanaryState::prepared;
  int share = 0;
  std::int64_t windows = 0;  // that were known then
  std::string reason;
  Json judgement;  // null if there was none
};

Json to_json(const CanaryStatus& status);
Json to_json(const CanaryView& canary);
Json to_json(const CanaryDecision& decision);

}  // namespace hone
