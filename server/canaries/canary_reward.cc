#include "server/canaries/canary_reward.h"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "common/protocol/fields.h"
#include "common/stats/block_bootstrap.h"
#include "server/rewards/pooled_ratio.h"

namespace hone {
namespace {

constexpr double kConfidence = 0.95;
constexpr double kQuantile = 1.959964;  // of a normal distribution's interval of that confidence
constexpr double kLeastDeviation = 0.001;
constexpr std::uint64_t kSeed = 20261129;  // of the bootstrap: any, but always the same

std::vector<SliWindow> known_windows(std::span<const SliWindow> series) {
  std::vector<SliWindow> known;
  for (const SliWindow& window : series) {
    if (window.ok()) {
      known.push_back(window);
    }
  }
  return known;
}

Json number_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

// As the buffer's readers know rewards, with windows in the place of pairs; null if nothing can be
// said.
Json reward_of(Sli sli, std::span<const double> bounds, const std::vector<SliWindow>& known) {
  const auto estimate = [&](std::span<const std::size_t> windows) {
    const PooledWindows pooled = pool_windows(known, windows);
    return relative_reward(sli, sli_value(sli, bounds, pooled.baseline),
                           sli_value(sli, bounds, pooled.canary));
  };
  const Result<Interval> interval =
      block_bootstrap_interval(known.size(), estimate, {.confidence = kConfidence, .seed = kSeed});
  if (!interval) {
    return {};
  }
  const PooledRatio ratio = pooled_ratio(sli, bounds, known);
  return {{"value", interval->estimate},
          // Readers of rewards hold the estimate to lie within.
          {"low", std::min(interval->low, interval->estimate)},
          {"high", std::max(interval->high, interval->estimate)},
          {"confidence", kConfidence},
          {"pairs", known.size()},
          {"detectable_effect", std::isfinite(ratio.error) ? 3.24 * ratio.error : 0.0},
          {"noise", std::isfinite(ratio.error)
                        ? ratio.error * std::sqrt(static_cast<double>(known.size()))
                        : 0.0}};
}

double canary_requests(const std::vector<SliWindow>& known) {
  double requests = 0;
  for (const SliWindow& window : known) {
    requests += window.canary.requests;
  }
  return requests;
}

std::string outcome_of(const CanaryView& canary, const std::vector<SliWindow>& known, Sli sli,
                       const Json& reward) {
  if (canary.status.state == CanaryState::aborted) {
    return "cancelled";
  }
  if (known.empty()) {
    return "no_data";
  }
  return reward.is_null() || canary_requests(known) < least_requests(sli) ? "insufficient_traffic"
                                                                          : "ok";
}

Json verdict_of(const CanaryView& canary) {
  const std::string finding = canary.judgement.is_object()
                                  ? canary.judgement.value("finding", std::string())
                                  : std::string();
  if (finding == "worse") {
    return "slower";
  }
  if (finding == "better") {
    return "faster";
  }
  return finding == "harmless" ? "no_change" : "inconclusive";
}

// The judge's last word on the indicator, which holds at every look; null if there is none.
Json finding_of(const CanaryView& canary, Sli sli) {
  const Json::json_pointer at("/slis");
  if (canary.judgement.contains(at)) {
    for (const Json& judged : canary.judgement[at]) {
      if (judged.value("sli", "") == to_string(sli)) {
        return judged.value("finding", "");
      }
    }
  }
  return {};
}

// One over the variance of the reward, from its interval.
Json weight_of(const Json& reward) {
  const double deviation =
      (reward["high"].get<double>() - reward["low"].get<double>()) / (2 * kQuantile);
  return 1 / (std::max(deviation, kLeastDeviation) * std::max(deviation, kLeastDeviation));
}

Json slis_of(const CanaryView& canary, std::span<const double> bounds,
             const std::vector<SliWindow>& known) {
  Json list = Json::array();
  for (const SliRule& rule : canary.spec.rules) {
    const PooledRatio ratio = pooled_ratio(rule.sli, bounds, known);
    Json slo;
    if (rule.sli == Sli::latency_p95 || rule.sli == Sli::latency_p99) {
      slo = number_or_null(slo_reward(rule.sli, canary.service.objective.latency, ratio.canary));
    }
    list.push_back({{"sli", std::string(to_string(rule.sli))},
                    {"finding", finding_of(canary, rule.sli)},
                    {"baseline", number_or_null(ratio.baseline)},
                    {"canary", number_or_null(ratio.canary)},
                    {"reward", reward_of(rule.sli, bounds, known)},
                    {"slo_reward", std::move(slo)}});
  }
  return list;
}

}  // namespace

Json experience_line(const CanaryView& canary, const StagedPolicy& tried,
                     const std::optional<StagedPolicy>& known_good, std::span<const double> bounds,
                     std::span<const SliWindow> series, const std::string& created_at) {
  const std::vector<SliWindow> known = known_windows(series);
  const Sli sli = canary.spec.rules.front().sli;
  Json reward = reward_of(sli, bounds, known);
  const std::string outcome = outcome_of(canary, known, sli, reward);
  const bool told = outcome == "ok";
  return {{"id", canary.id},
          {"source", "production"},
          {"target", canary.spec.target},
          {"canary", canary.id},
          {"policy_version", canary.spec.policy_version},
          {"campaign", null_if_empty(tried.campaign)},
          {"candidate", null_if_empty(tried.candidate)},
          {"log_propensity", tried.log_propensity},
          {"staging", tried.staging},
          {"known_good", known_good ? to_json(*known_good) : Json()},
          {"stage", "confirm"},
          {"baseline", "own"},
          {"outcome", outcome},
          {"reason", told ? Json() : Json(canary.status.reason)},
          {"verdict", told ? verdict_of(canary) : Json()},
          {"weight", told ? weight_of(reward) : Json()},
          {"reward", told ? std::move(reward) : Json()},
          {"state", std::string(to_string(canary.status.state))},
          {"cause", spelling(canary.status.cause)},
          {"decision", canary.status.reason},
          {"slis", told ? slis_of(canary, bounds, known) : Json::array()},
          {"rules", tried.rules},
          {"decisions", Json::array()},
          {"created_at", created_at}};
}

}  // namespace hone
