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
    {{Cost::text_size, RewardForm::difference}, "TextSizeBytes"},
    {{Cost::text_size, RewardForm::norm}, "TextSizeNorm"},
    {{Cost::text_size, RewardForm::o3}, "TextSizeO3"},
    {{Cost::text_size, RewardForm::oz}, "TextSizeOz"},
    {{Cost::text_size, RewardForm::log_ratio}, "TextSizeLog"},
    {{Cost::runtime, RewardForm::difference}, "Runtime"},
    {{Cost::runtime, RewardForm::log_ratio}, "RuntimeLog"},
});

}  // namespace

const std::string_view kRewardSpaceChoices =
    "IrInstructionCount, IrInstructionCountNorm, IrInstructionCountO3, IrInstructionCountOz, "
    "IrInstructionCountLog, ObjectTextSizeBytes, ObjectTextSizeNorm, ObjectTextSizeO3, "
    "ObjectTextSizeOz, ObjectTextSizeLog, TextSizeBytes, TextSizeNorm, TextSizeO3, TextSizeOz, "
    "TextSizeLog, Runtime, RuntimeLog";
const std::string_view kSessionRewardChoices =
    kRewardSpaceChoices.substr(0, kRewardSpaceChoices.find(", TextSizeBytes"));

ObservationSpace observation_of(Cost cost) {
  switch (cost) {
    case Cost::ir_instruction_count:
      return ObservationSpace::ir_instruction_count;
    case Cost::object_text_size:
      return ObservationSpace::object_text_size;
    case Cost::text_size:
      return ObservationSpace::text_size;
    case Cost::runtime:
      return ObservationSpace::runtime;
  }
  return ObservationSpace::ir_instruction_count;
}

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
