// What a canary is asked to be: which policy, how much traffic gets to it, step by step, and what
// it is judged by. Plain values; thread safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/json/object_reader.h"
#include "common/protocol/service_spec.h"

namespace hone {

enum class Approval { automatic, by_hand };
std::string_view to_string(Approval approval);
std::optional<Approval> parse_approval(std::string_view text);

struct RampPlan {
  std::vector<int> steps{1, 5, 25, 50};  // per cent of traffic; ascending, each 1 to 99
  std::size_t step_windows = 12;         // windows of a step, at least
  std::size_t most_windows = 120;        // of the last step, until harm must be ruled out
  std::size_t most_lost = 6;             // windows in a row that tell nothing: then it ends
  std::size_t most_waiting = 10'080;     // of a judged one that waits for leave: then it ends
  Approval approval = Approval::automatic;
  bool operator==(const RampPlan&) const = default;
};

struct SliRule {
  Sli sli = Sli::latency_p95;
  double tolerance = 0.05;  // harm, as a log ratio, that must be ruled out before a promotion
  double floor = 0.01;      // harm below this is not acted on, 0 to tolerance
  bool operator==(const SliRule&) const = default;
};

// All six indicators, with the tolerances of the documentation; p95 first, since the reward is the
// first rule's.
std::vector<SliRule> default_rules();

struct CanarySpec {
  std::string target;                            // name
  std::int64_t policy_version = 0;               // that the canary was built with
  std::vector<SliRule> rules = default_rules();  // each indicator once, at least one
  RampPlan ramp;
  bool operator==(const CanarySpec&) const = default;
};

// Request body of POST /v1/canaries. invalid_argument naming every bad field.
Result<CanarySpec> parse_canary_spec(const Json& document, UnknownKeys unknown);
Json to_json(const CanarySpec& spec);

}  // namespace hone
