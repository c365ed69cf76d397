#include "server/learner/ope/target_log.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/json/document.h"
#include "common/protocol/rules.h"

namespace hone {
namespace {

// Hosts beyond these are told apart by nothing.
constexpr std::size_t kMostHosts = 64;

// What says something about the candidate; other ends are the baseline's or nobody's fault.
bool is_its_own_fault(std::string_view outcome) {
  constexpr std::array<std::string_view, 5> kOwn{"build_failed", "compiler_crashed", "timed_out",
                                                 "limit_exceeded", "miscompiled"};
  return std::ranges::find(kOwn, outcome) != kOwn.end();
}

std::string key_of(const std::vector<Rule>& rules) {
  return dump_json(rules_to_json(rules));
}

// A number of runs that agreed to the last bit is one measurement, whoever reports it.
std::vector<double> measurement(const RewardEstimate& reward) {
  return {reward.value, reward.low, reward.high, static_cast<double>(reward.pairs)};
}

}  // namespace

Result<std::size_t> TargetLog::number_of(const std::string& rules) {
  if (const auto known = read_.find(rules); known != read_.end()) {
    return known->second;
  }
  HONE_TRY(Json document, parse_json(rules.empty() ? "[]" : rules));
  Problems problems;
  const Json within{{"rules", std::move(document)}};
  ObjectReader reader(within, "", problems, UnknownKeys::ignore);
  const std::vector<Rule> read = read_rules(reader, "rules");
  if (auto error = problems.as_error("rules of an experience")) {
    return *std::move(error);
  }
  const auto [place, fresh] = actions_.emplace(key_of(read), actions_.size());
  if (fresh) {
    if (actions_.size() > kMaxLoggedActions) {
      return fail(ErrorCode::too_large,
                  fmt::format("more than {} different candidates of {}: name a version of it",
                              kMaxLoggedActions, filter_.target));
    }
    rules_.emplace_back();
  }
  read_.emplace(rules, place->second);
  return place->second;
}

void TargetLog::add_race(const Experience& row, std::size_t action, double reward) {
  Row made;
  made.action = action;
  made.log_propensity = *row.log_propensity;
  made.reward = reward;
  made.version = row.target_version;
  if (hosts_.size() < kMostHosts || hosts_.contains(row.host)) {
    hosts_.insert(row.host);
    made.host = row.host;
  }
  made.group = groups_;
  if (row.reward) {
    made.group = measurements_.emplace(measurement(*row.reward), groups_).first->second;
  }
  groups_ += made.group == groups_ ? 1 : 0;
  rows_.push_back(std::move(made));
}

Result<void> TargetLog::add(const Experience& row) {
  if (row.target != filter_.target || row.baseline != filter_.baseline || row.source != "staging" ||
      (filter_.version && row.target_version != *filter_.version)) {
    return {};
  }
  const bool failed = is_its_own_fault(row.outcome);
  const bool same_binary = row.outcome == "ok" && !row.reward && row.verdict == "no_change";
  if (!failed && !row.reward && !same_binary) {
    return {};
  }
  HONE_TRY(const std::size_t action, number_of(row.rules));
  LoggedRules& rules = rules_[action];
  if (failed) {
    ++failures_;
    if (rules.failures++ == 0) {
      rules.first_failure = row.outcome + (row.reason.empty() ? "" : ": " + row.reason);
    }
    return {};
  }
  const RewardEstimate measured = row.reward.value_or(RewardEstimate{});
  if (row.stage == "confirm") {
    if (std::ranges::find(rules.confirmed, measured) == rules.confirmed.end()) {
      rules.confirmed.push_back(measured);
    }
  } else if (!row.log_propensity) {
    ++without_propensity_;
  } else {
    add_race(row, action, measured.value);
  }
  return {};
}

DecisionLog TargetLog::log() const {
  DecisionLog log;
  log.actions = rules_.size();
  for (const Row& row : rows_) {
    LoggedDecision made;
    made.features.push_back(static_cast<double>(row.version));
    for (const std::string& host : hosts_) {
      made.features.push_back(host == row.host ? 1 : 0);
    }
    made.action = row.action;
    made.log_propensity = row.log_propensity;
    made.reward = row.reward;
    log.rows.push_back(std::move(made));
    log.groups.push_back(row.group);
  }
  return log;
}

std::optional<std::size_t> TargetLog::action_of(const std::vector<Rule>& rules) const {
  std::vector<Rule> left = rules;
  for (;;) {
    if (const auto found = actions_.find(key_of(left)); found != actions_.end()) {
      return found->second;
    }
    if (left.empty() || !is_plain(left.front().decision)) {
      return std::nullopt;
    }
    left.erase(left.begin());
  }
}

std::optional<OffPolicyEstimate> pooled(const std::vector<RewardEstimate>& measured) {
  double pairs = 0;
  for (const RewardEstimate& one : measured) {
    pairs += static_cast<double>(std::max<std::int64_t>(one.pairs, 1));
  }
  if (measured.empty()) {
    return std::nullopt;
  }
  OffPolicyEstimate made;
  double below = 0;
  double above = 0;
  for (const RewardEstimate& one : measured) {
    const double share = static_cast<double>(std::max<std::int64_t>(one.pairs, 1)) / pairs;
    made.value += share * one.value;
    below = std::hypot(below, share * (one.value - one.low));
    above = std::hypot(above, share * (one.high - one.value));
  }
  made.low = made.value - below;
  made.high = made.value + above;
  return made;
}

OffPolicyEstimate difference_of(const OffPolicyEstimate& made, const OffPolicyEstimate& current) {
  OffPolicyEstimate difference;
  difference.value = made.value - current.value;
  difference.low =
      difference.value - std::hypot(made.value - made.low, current.high - current.value);
  difference.high =
      difference.value + std::hypot(made.high - made.value, current.value - current.low);
  return difference;
}

}  // namespace hone
