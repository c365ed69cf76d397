#include "server/rewards/error_budget.h"

#include <algorithm>

namespace hone {

BudgetState budget_state(const ServiceObjective& objective, const ServedRequests& served) {
  BudgetState state;
  state.allowed = (1 - objective.good_share) * std::max(served.all, kLeastBudgetRequests);
  state.left_share = 1 - served.bad / state.allowed;
  return state;
}

}  // namespace hone
