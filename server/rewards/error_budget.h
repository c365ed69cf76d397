// How many bad requests a service may still afford (Google, "Site Reliability Engineering", chapter
// 3).
//
// A service level objective says which share of requests must be good over a window of time; the
// rest is the budget. Whatever serves spends from it, the canary too; when it is spent, nothing is
// explored until old bad requests leave the window. Thread safe.
#pragma once

#include "common/protocol/service_spec.h"

namespace hone {

// What was served within the objective's window, by both groups together; and by the canary.
struct ServedRequests {
  double all = 0;
  double bad = 0;         // failed, or took longer than the objective's latency
  double bad_canary = 0;  // of these
};

struct BudgetState {
  double allowed = 0;     // bad requests that the objective allows of so many
  double left_share = 1;  // of the budget: 1 to 0, and below where it is overspent
  bool spent() const { return left_share < 1e-9; }  // a hair: sums of floating point numbers
};

// Of fewer requests than these a few bad ones say little: the budget is that of so many then.
inline constexpr double kLeastBudgetRequests = 1000;

BudgetState budget_state(const ServiceObjective& objective, const ServedRequests& served);

}  // namespace hone
