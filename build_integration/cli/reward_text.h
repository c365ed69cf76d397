// Rewards (log ratios) as people read them: percent faster. Thread safe.
#pragma once

#include <string>

#include "common/protocol/attempt_result.h"

namespace hone {

// exp(log_ratio) - 1 in percent: how much more work per CPU second. 0.0198 -> 2.0.
double percent_of(double log_ratio);

// "+2.0 %", "−0.4 %", "0.0 %": one decimal, a real minus sign.
std::string percent_text(double log_ratio);

// Whether every run gives the same number, so that it is its own interval.
bool is_exact(const RewardEstimate& reward);

// "[+1.2, +2.8]", the interval in percent; "[exact]" of a number that is its own.
std::string interval_text(const RewardEstimate& reward);

// "+2.0 % [+1.2, +2.8]".
std::string reward_text(const RewardEstimate& reward);

}  // namespace hone
