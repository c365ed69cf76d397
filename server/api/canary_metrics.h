// Canaries, the budgets they spend and what balancers ask of them, for /metrics. A part of Metrics;
// not thread safe.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "server/api/metric_families.h"
#include "server/store/operations_store.h"

namespace hone {

class CanaryMetrics {
 public:
  explicit CanaryMetrics(prometheus::Registry& registry);

  void set(const CanaryGauges& gauges);
  // A window was looked at; how it was ("ok", "no_data", ...).
  void window(std::string_view outcome);
  // A reward could not be stored.
  void reward_failed(bool passing);
  // A balancer asked for a lease.
  void lease(bool given);

 private:
  Gauges& canaries_;
  Gauges& share_;
  Gauges& lost_;
  Gauges& reward_;
  Gauges& missing_;
  Gauges& budgets_;
  Gauges& budget_left_;
  Counters& windows_;
  Counters& reward_failures_;
  Counters& leases_;
  std::set<std::string> targets_;   // that ever had one under way
  std::set<std::string> rewarded_;  // that have a gauge of reward_
  std::set<std::string> budgeted_;  // likewise of budget_left_
};

}  // namespace hone
