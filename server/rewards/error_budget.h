// How many bad requests a service may still afford (Google, "Site Reliability Engineering", chapter
// 3).
//
// A service level objective says which share of requests must be good over a window of time; the
// rest is the budget. Whatever serves spends from it, the canary too; when it is spent, nothing is
// explored until old bad requests leave the window. Not thread safe.
#pragma once

#include <deque>

#include "common/protocol/service_spec.h"

namespace hone {

// What one interval added; both groups together, and the canary's part of the bad ones.
struct BudgetEntry {
  double time = 0;  // seconds since 1970: the interval's end
  double requests = 0;
  double bad = 0;
  double bad_canary = 0;
};

struct BudgetState {
  double requests = 0;    // within the window
  double bad = 0;         // of them
  double bad_canary = 0;  // of these, the canary's
  double allowed = 0;     // bad requests that the objective allows of so many
  double left_share = 1;  // of the budget, 1 to 0 and below: overspent
  bool spent() const { return left_share <= 0; }
};

class ErrorBudget {
 public:
  // `least_requests`: before there were so many within the window a few bad ones say little, so
  // that the budget counts as that of so many requests.
  explicit ErrorBudget(ServiceObjective objective, double least_requests = 1000)
      : objective_(objective), least_requests_(least_requests) {}

  // Entries in order of time; an older one than the last is put where the last is.
  void add(BudgetEntry entry);
  // At `now`; forgets what has left the window.
  BudgetState state(double now);

 private:
  ServiceObjective objective_;
  double least_requests_;
  std::deque<BudgetEntry> entries_;
};

}  // namespace hone
