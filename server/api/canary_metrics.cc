#include "server/api/canary_metrics.h"

namespace hone {

CanaryMetrics::CanaryMetrics(prometheus::Registry& registry)
    : canaries_(add_gauges(registry, "hone_canaries", "Canaries in the store, by state")),
      share_(add_gauges(registry, "hone_canary_share_percent",
                        "Traffic that the target's canary may get; 0: none is under way")),
      lost_(add_gauges(registry, "hone_canary_lost_windows",
                       "Windows in a row that told nothing, of the target's canary")),
      reward_(add_gauges(registry, "hone_canary_reward",
                         "ln(SLI of the baseline / SLI of the canary) of the target's newest "
                         "canary that told one")),
      missing_(add_gauges(registry, "hone_canary_rewards_missing",
                          "Canaries that ended and whose reward is not in the replay buffer: for "
                          "long only where it cannot be stored")),
      budgets_(add_gauges(registry, "hone_error_budgets",
                          "Services by what is known of their error budget: left, spent, or "
                          "unknown (not told for five minutes)")),
      budget_left_(add_gauges(
          registry, "hone_error_budget_left_ratio",
          "Share of the error budget of the target's service that is left, as last told")),
      windows_(add_counters(
          registry, "hone_canary_windows_total",
          "Windows of canaries that were looked at, by what they told: ok, or why nothing")),
      reward_failures_(add_counters(
          registry, "hone_canary_reward_failures_total",
          "Tries to store a canary's reward that failed, by error: passing, or permanent (the log "
          "says what somebody must mend)")),
      leases_(add_counters(
          registry, "hone_canary_lease_checks_total",
          "Balancers' questions whether a canary may have traffic, by answer: given, refused")) {
  // Present from the start, so that a rate over them is defined before the first event.
  windows_.Add({{"outcome", "ok"}});
  for (const char* error : {"passing", "permanent"}) {
    reward_failures_.Add({{"error", error}});
  }
  for (const char* answer : {"given", "refused"}) {
    leases_.Add({{"answer", answer}});
  }
}

void CanaryMetrics::set(const CanaryGauges& gauges) {
  for (const auto& [state, count] : gauges.by_state) {
    set_gauge(canaries_, {{"state", state}}, count);
  }
  // A target without a canary has 0, not what it had.
  for (const auto& [target, share] : gauges.share) {
    targets_.insert(target);
  }
  for (const std::string& target : targets_) {
    const auto share = gauges.share.find(target);
    const auto lost = gauges.lost_windows.find(target);
    set_gauge(share_, {{"target", target}}, share == gauges.share.end() ? 0 : share->second);
    set_gauge(lost_, {{"target", target}}, lost == gauges.lost_windows.end() ? 0 : lost->second);
  }
  set_targets(reward_, gauges.reward, rewarded_);
  set_targets(budget_left_, gauges.budget_left, budgeted_);
  set_gauge(missing_, {}, gauges.rewards_missing);
  set_gauge(budgets_, {{"state", "left"}}, gauges.budgets_left);
  set_gauge(budgets_, {{"state", "spent"}}, gauges.budgets_spent);
  set_gauge(budgets_, {{"state", "unknown"}}, gauges.budgets_unknown);
}

void CanaryMetrics::window(std::string_view outcome) {
  windows_.Add({{"outcome", std::string(outcome)}}).Increment();
}

void CanaryMetrics::reward_failed(bool passing) {
  reward_failures_.Add({{"error", passing ? "passing" : "permanent"}}).Increment();
}

void CanaryMetrics::lease(bool given) {
  leases_.Add({{"answer", given ? "given" : "refused"}}).Increment();
}

}  // namespace hone
