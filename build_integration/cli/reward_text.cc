#include "build_integration/cli/reward_text.h"

#include <cmath>

#include <fmt/format.h>

namespace hone {
namespace {

std::string signed_text(double percent) {
  const double rounded = std::round(percent * 10.0) / 10.0;
  if (rounded == 0.0) {
    return "0.0";
  }
  return fmt::format("{}{:.1f}", rounded > 0 ? "+" : "−", std::abs(rounded));
}

}  // namespace

double percent_of(double log_ratio) {
  return std::expm1(log_ratio) * 100.0;
}

std::string percent_text(double log_ratio) {
  return signed_text(percent_of(log_ratio)) + " %";
}

bool is_exact(const RewardEstimate& reward) {
  return reward.low == reward.high && reward.noise == 0;
}

std::string interval_text(const RewardEstimate& reward) {
  if (is_exact(reward)) {
    return "[exact]";
  }
  return fmt::format("[{}, {}]", signed_text(percent_of(reward.low)),
                     signed_text(percent_of(reward.high)));
}

std::string reward_text(const RewardEstimate& reward) {
  return percent_text(reward.value) + " " + interval_text(reward);
}

}  // namespace hone
