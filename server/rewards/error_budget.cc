#include "server/rewards/error_budget.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace hone {
namespace {

constexpr double kLeastWindow = 60;
constexpr double kMostWindow = 31'536'000;
constexpr double kMostLatency = 3600;

}  // namespace

Result<void> check(const ServiceObjective& objective) {
  if (!(objective.good_share > 0 && objective.good_share < 1)) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("good_share: {} is no share of requests between 0 and 1, like 0.999",
                            objective.good_share));
  }
  if (!(objective.latency >= 0 && objective.latency <= kMostLatency)) {
    return fail(ErrorCode::invalid_argument, fmt::format("latency: {} s must be 0 (any) to {}",
                                                         objective.latency, kMostLatency));
  }
  if (!(objective.window_seconds >= kLeastWindow && objective.window_seconds <= kMostWindow)) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("window_seconds: {} must be {} to {}", objective.window_seconds,
                            kLeastWindow, kMostWindow));
  }
  return {};
}

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
