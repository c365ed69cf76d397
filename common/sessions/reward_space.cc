#include "common/sessions/reward_space.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace hone {
namespace {

struct Spelling {
  RewardSpace space;
  std::string_view text;
};
constexpr auto kSpellings = std::to_array<Spelling>({
    {{Cost::ir_instruction_count, RewardForm::difference}, "IrInstructionCount"},
    {{Cost::ir_instruction_count, RewardForm::norm}, "IrInstructionCountNorm"},
    {{Cost::ir_instruction_count, RewardForm::o3}, "IrInstructionCountO3"},
    {{Cost::ir_instruction_count, RewardForm::oz}, "IrInstructionCountOz"},
    {{Cost::ir_instruction_count, RewardForm::log_ratio}, "IrInstructionCountLog"},
    {{Cost::object_text_size, RewardForm::difference}, "ObjectTextSizeBytes"},
    {{Cost::object_text_size, RewardForm::norm}, "ObjectTextSizeNorm"},
    {{Cost::object_text_size, RewardForm::o3}, "ObjectTextSizeO3"},
    {{Cost::object_text_size, RewardForm::oz}, "ObjectTextSizeOz"},
    {{Cost::object_text_size, RewardForm::log_ratio}, "ObjectTextSizeLog"},
});

}  // namespace

const std::string_view kRewardSpaceChoices =
    "IrInstructionCount, IrInstructionCountNorm, IrInstructionCountO3, IrInstructionCountOz, "
    "IrInstructionCountLog, ObjectTextSizeBytes, ObjectTextSizeNorm, ObjectTextSizeO3, "
    "ObjectTextSizeOz, ObjectTextSizeLog";

std::string to_string(RewardSpace space) {
  return std::string(std::ranges::find(kSpellings, space, &Spelling::space)->text);
}

std::optional<RewardSpace> parse_reward_space(std::string_view text) {
  const auto found = std::ranges::find(kSpellings, text, &Spelling::text);
  return found == kSpellings.end() ? std::nullopt : std::optional(found->space);
}

double reward(RewardForm form, const RewardCosts& costs, double before, double now) {
  switch (form) {
    case RewardForm::difference:
      return before - now;
    case RewardForm::norm:
      return (before - now) / std::max(costs.unoptimised, 1.0);
    case RewardForm::o3:
    case RewardForm::oz:
      return (before - now) / std::max(costs.unoptimised - costs.baseline, 1.0);
    case RewardForm::log_ratio:
      return std::log(std::max(before, 1.0) / std::max(now, 1.0));
  }
  return 0;
}

}  // namespace hone
