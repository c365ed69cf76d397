// What a step of a compile session is worth: CompilerGym's rewards (00cd50f, its LLVM environment),
// and logarithms of ratios beside them. Plain values, no LLVM needed. Thread safe.
//
// With C the cost, s0 the unoptimised program and b a baseline's program:
//
//   IrInstructionCount, ObjectTextSizeBytes       C(before) - C(now)
//   IrInstructionCountNorm, ObjectTextSizeNorm    the same / C(s0)
//   ...O3, ...Oz                                  the same / max(C(s0) - C(b), 1)
//   IrInstructionCountLog, ObjectTextSizeLog      ln(C(before) / C(now))
//
// O3 and Oz explode for a program that the baseline can not improve (the 1 is CompilerGym's); the
// logarithms do not, and add up to ln(C(s0) / C(last)) over an episode. Costs are at least 1 there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hone {

enum class Cost : std::uint8_t { ir_instruction_count, object_text_size };
enum class RewardForm : std::uint8_t { difference, norm, o3, oz, log_ratio };

struct RewardSpace {
  Cost cost = Cost::ir_instruction_count;
  RewardForm form = RewardForm::difference;
  bool operator==(const RewardSpace&) const = default;
};
std::string to_string(RewardSpace space);
std::optional<RewardSpace> parse_reward_space(std::string_view text);
// All spellings, for messages.
extern const std::string_view kRewardSpaceChoices;

// What the rewards of one program are made of; a baseline's cost is needed for its form only.
struct RewardCosts {
  double unoptimised = 0;
  double baseline = 0;
};

// Of the step that led from a state of cost `before` to one of cost `now`.
double reward(RewardForm form, const RewardCosts& costs, double before, double now);

}  // namespace hone
