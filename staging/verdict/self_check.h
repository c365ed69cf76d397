// A comparison of the baseline with itself: what is this machine's word worth? Thread safe; blocks.
#pragma once

#include <optional>
#include <stop_token>

#include "common/protocol/self_check.h"
#include "staging/verdict/comparison.h"

namespace hone {

// By the plan's procedure, in at most 32 pairs. Links of the baseline are drawn for both sides, as
// they are for two binaries. Nothing if there is no verdict: the benchmark fails, is
// nondeterministic, or a stop was requested; the comparison that follows then says the same.
std::optional<SelfCheck> self_check(Bench& bench, ComparisonPlan plan, const std::stop_token& stop);

}  // namespace hone
