// What a step of a compile session is worth: CompilerGym's rewards (00cd50f, its LLVM environment),
// and logarithms of ratios beside them. Plain values, no LLVM needed. Thread safe.
//
// With C the cost, s0 the unoptimised program and b a baseline's program:
//
//   IrInstructionCount, ObjectTextSizeBytes, TextSizeBytes    C(before) - C(now)
//   IrInstructionCountNorm, ObjectTextSizeNorm, TextSizeNorm  the same / C(s0)
//   ...O3, ...Oz                                              the same / max(C(s0) - C(b), 1)
//   IrInstructionCountLog, ObjectTextSizeLog, TextSizeLog     ln(C(before) / C(now))
//   Runtime                                                   C(before) - C(now), seconds
//   RuntimeLog                                                ln(C(before) / C(now))
//
// The cost of Runtime is the median of the observation of that name. O3 and Oz explode for a
// program that the baseline can not improve (the 1 is CompilerGym's); the logarithms do not, and
// add up to ln(C(s0) / C(last)) over an episode. Costs are at least 1 there (a nanosecond of run
// time).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/sessions/observation_space.h"

namespace hone {

enum class Cost : std::uint8_t { ir_instruction_count, object_text_size, text_size, runtime };
enum class RewardForm : std::uint8_t { difference, norm, o3, oz, log_ratio };

struct RewardSpace {
  Cost cost = Cost::ir_instruction_count;
  RewardForm form = RewardForm::difference;
  bool operator==(const RewardSpace&) const = default;
};
std::string to_string(RewardSpace space);
std::optional<RewardSpace> parse_reward_space(std::string_view text);
// What a cost is seen by; for is_linked() and who measures it.
ObservationSpace observation_of(Cost cost);
// All spellings, for messages, and those of which a session itself knows.
extern const std::string_view kRewardSpaceChoices;
extern const std::string_view kSessionRewardChoices;

// What the rewards of one program are made of; a baseline's cost is needed for its form only.
struct RewardCosts {
  double unoptimised = 0;
  double baseline = 0;
};

// Of the step that led from a state of cost `before` to one of cost `now`. Run times are in
// nanoseconds for log_ratio.
double reward(RewardForm form, const RewardCosts& costs, double before, double now);

}  // namespace hone
