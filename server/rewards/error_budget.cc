#include "server/rewards/error_budget.h"

#include <algorithm>

namespace hone {
void ErrorBudget::add(BudgetEntry entry) {
  if (!entries_.empty()) {
    entry.time = std::max(entry.time, entries_.back().time);
  }
  entries_.push_back(entry);
}

BudgetState ErrorBudget::state(double now) {
  while (!entries_.empty() && entries_.front().time <= now - objective_.window_seconds) {
    entries_.pop_front();
  }
  BudgetState state;
  for (const BudgetEntry& entry : entries_) {
    state.requests += entry.requests;
    state.bad += entry.bad;
    state.bad_canary += entry.bad_canary;
  }
  state.allowed = (1 - objective_.good_share) * std::max(state.requests, least_requests_);
  state.left_share = 1 - state.bad / state.allowed;
  return state;
}

}  // namespace hone
