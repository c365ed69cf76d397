// What an operator wants to know of the whole of what is stored: gauges for /metrics. Not thread
// safe.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "server/store/async.h"

namespace hone {

// So many jobs at the head of the queue are told apart by priority, so that the question costs the
// same however many there are; JobStore::count_by_state() has them all.
inline constexpr std::int64_t kMostCounted = 10'000;
// A worker that was not seen for so long, and holds no lease, is silent. One in a long poll is seen
// every few seconds.
inline constexpr std::int64_t kSilentSeconds = 90;

struct OperationGauges {
  std::map<std::int64_t, std::int64_t> queued_by_priority;  // of the first kMostCounted
  double oldest_queued_seconds = 0;                         // 0: none is queued
  std::int64_t leases = 0;
  std::int64_t workers_live = 0;                  // seen lately, and take jobs
  std::int64_t workers_drained = 0;               // seen lately, and take none
  std::int64_t workers_silent = 0;                // seen within a day, but not lately
  std::int64_t workers_left = 0;                  // of a day: said that they stop
  std::int64_t workers_unfit = 0;                 // out of rotation for a target
  std::map<std::string, std::int64_t> campaigns;  // by state, every state
  std::int64_t artifacts = 0;
  std::int64_t artifact_bytes = 0;
  std::int64_t database_bytes = 0;
};

// Of services and their canaries, by target.
struct CanaryGauges {
  std::map<std::string, std::int64_t> by_state;      // every state, of all canaries
  std::map<std::string, std::int64_t> share;         // per cent that one under way may get
  std::map<std::string, std::int64_t> lost_windows;  // in a row, of one under way
  std::map<std::string, double> budget_left;         // share of the error budget, as last told
  std::map<std::string, double> reward;              // of the newest that told one
  std::int64_t rewards_missing = 0;                  // of canaries that ended
  std::int64_t budgets_left = 0;                     // services that have some
  std::int64_t budgets_spent = 0;                    // that have none
  std::int64_t budgets_unknown = 0;  // whose budget was not told for kBudgetAgeSeconds
};
inline constexpr std::int64_t kBudgetAgeSeconds = 300;

class OperationsStore {
 public:
  explicit OperationsStore(PgPool& pool) : pool_(pool) {}

  Async<OperationGauges> gauges();
  Async<CanaryGauges> canary_gauges();

 private:
  PgPool& pool_;
};

}  // namespace hone
