#include "server/rewards/canary_judge.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "common/stats/confidence_sequence.h"
#include "common/stats/normal.h"
#include "server/rewards/pooled_ratio.h"

namespace hone {
namespace {

Result<void> check(const JudgeSettings& settings) {
  if (settings.rules.empty()) {
    return fail(ErrorCode::invalid_argument, "a canary needs an indicator to be judged by");
  }
  if (!(settings.alpha > 0 && settings.alpha < 0.5)) {
    return fail(ErrorCode::invalid_argument, "alpha must lie between 0 and 0.5");
  }
  return {};
}

Result<void> check(std::span<const double> bounds, const GroupWindow& window) {
  if (window.outcome == WindowOutcome::ok && window.latencies.size() != bounds.size() + 1) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("a window has {} buckets, its histogram {}", window.latencies.size(),
                            bounds.size() + 1));
  }
  return {};
}

SliFinding finding_of(const SliJudgement& sli) {
  if (sli.reward.low > 0) {
    return SliFinding::better;
  }
  if (sli.reward.high < 0 && sli.reward.estimate <= -sli.rule.floor) {
    return SliFinding::worse;
  }
  return sli.reward.low > -sli.rule.tolerance ? SliFinding::harmless : SliFinding::undecided;
}

constexpr double kInfinite = std::numeric_limits<double>::infinity();
// Of sums of floating point numbers that cancel.
constexpr double kRounding = 1e-9;

SliJudgement judge_sli(const SliRule& rule, std::span<const double> bounds,
                       std::span<const SliWindow> series, double canary_requests,
                       const JudgeSettings& settings) {
  const PooledRatio ratio = pooled_ratio(rule.sli, bounds, series);
  SliJudgement sli;
  sli.rule = rule;
  sli.windows = ratio.windows;
  sli.reward = Interval{-kInfinite, 0, kInfinite};
  if (ratio.windows == 0) {
    return sli;
  }
  sli.baseline = ratio.baseline;
  sli.canary = ratio.canary;
  sli.finding = SliFinding::insufficient_traffic;
  if (canary_requests < least_requests(rule.sli) || !std::isfinite(ratio.reward) ||
      !std::isfinite(ratio.error)) {
    return sli;
  }
  const ConfidenceSequence sequence{.alpha = settings.alpha /
                                             static_cast<double>(settings.rules.size())};
  sli.error = ratio.error;
  if (rule.sli == Sli::failure_share) {
    // No failures, or as many in every window, are no proof that there are none to come: the rule
    // of three.
    sli.error = std::max(sli.error, 1 / canary_requests);
  }
  const double reach = sequence_multiplier(sequence, ratio.windows) * sli.error;
  // Windows that are all the same would have no error at all, which no number of them proves.
  const bool certain = sli.error < kRounding && std::abs(ratio.reward) > kRounding;
  sli.reward = certain ? Interval{-kInfinite, ratio.reward, kInfinite}
                       : Interval{ratio.reward - reach, ratio.reward, ratio.reward + reach};
  const auto windows = static_cast<double>(ratio.windows);
  const auto planned = static_cast<double>(settings.planned_windows);
  sli.detectable =
      ratio.error * std::sqrt(windows / planned) *
      (sequence_multiplier(sequence, settings.planned_windows) + normal_quantile(settings.power));
  sli.finding = finding_of(sli);
  return sli;
}

// The finding that decides: one indicator that is worse is enough; all must be harmless.
const SliJudgement& deciding(const std::vector<SliJudgement>& slis) {
  static constexpr SliFinding kOrder[] = {
      SliFinding::worse,     SliFinding::no_data,  SliFinding::insufficient_traffic,
      SliFinding::undecided, SliFinding::harmless, SliFinding::better};
  for (const SliFinding finding : kOrder) {
    for (const SliJudgement& sli : slis) {
      if (sli.finding == finding) {
        return sli;
      }
    }
  }
  return slis.front();
}

std::string reason_of(const SliJudgement& sli, double canary_requests) {
  const std::string_view name = to_string(sli.rule.sli);
  switch (sli.finding) {
    case SliFinding::worse:
      return fmt::format("{} is worse by {:.2f} % [{:.2f}, {:.2f}]", name,
                         -100 * sli.reward.estimate, -100 * sli.reward.high, -100 * sli.reward.low);
    case SliFinding::no_data:
      return "no window tells both groups";
    case SliFinding::insufficient_traffic:
      return fmt::format("{} takes {:.0f} requests of the canary, there were {:.0f}", name,
                         least_requests(sli.rule.sli), canary_requests);
    case SliFinding::undecided:
      return fmt::format("{} may be worse by more than {:.2f} %: {:.2f} % [{:.2f}, {:.2f}]", name,
                         100 * sli.rule.tolerance, 100 * sli.reward.estimate, 100 * sli.reward.low,
                         100 * sli.reward.high);
    case SliFinding::harmless:
    case SliFinding::better:
      return "no indicator is worse by more than its tolerance";
  }
  return "";
}

}  // namespace

std::string_view to_string(SliFinding finding) {
  switch (finding) {
    case SliFinding::better:
      return "better";
    case SliFinding::harmless:
      return "harmless";
    case SliFinding::worse:
      return "worse";
    case SliFinding::undecided:
      return "undecided";
    case SliFinding::insufficient_traffic:
      return "insufficient_traffic";
    case SliFinding::no_data:
      return "no_data";
  }
  return "";
}

Result<CanaryJudgement> judge_canary(std::span<const double> bounds,
                                     std::span<const SliWindow> series,
                                     const JudgeSettings& settings) {
  HONE_CHECK(check(settings));
  HONE_CHECK(check_bounds(bounds));
  CanaryJudgement judgement;
  for (const SliWindow& window : series) {
    HONE_CHECK(check(bounds, window.baseline));
    HONE_CHECK(check(bounds, window.canary));
    if (window.ok()) {
      judgement.baseline_requests += window.baseline.requests;
      judgement.canary_requests += window.canary.requests;
    } else {
      ++judgement.left_out[window.canary.outcome != WindowOutcome::ok ? window.canary.outcome
                                                                      : window.baseline.outcome];
    }
  }
  for (const SliRule& rule : settings.rules) {
    judgement.slis.push_back(judge_sli(rule, bounds, series, judgement.canary_requests, settings));
  }
  const SliJudgement& decides = deciding(judgement.slis);
  judgement.finding = decides.finding;
  judgement.reason = reason_of(decides, judgement.canary_requests);
  return judgement;
}

}  // namespace hone
