// Windows as they are stored and shown. Thread safe.
#pragma once

#include <string>

#include "common/json/document.h"
#include "server/rewards/canary_judge.h"
#include "server/rewards/error_budget.h"
#include "server/rewards/sli_window.h"
#include "server/store/canary_store.h"

namespace hone {

// {"outcome", "requests", "failures", "cpu_seconds", "latencies"}; counts only with outcome ok.
Json to_json(const GroupWindow& group);
// invalid_argument for what is none of ours.
Result<GroupWindow> parse_group_window(const Json& document);
Result<SliWindow> parse_window(const CanaryWindow& stored);

Json to_json(const CanaryJudgement& judgement);
Json to_json(const BudgetState& state, const ServedRequests& served);

}  // namespace hone
