// What the replay buffer says of one target: the decisions of its races, as a log for off-policy
// evaluation, and what the same decisions came to on fresh pairs.
//
// A decision is a candidate's whole rules. A row of the log is a race job on staging with an exact
// propensity, whose reward was measured (0 for the baseline's very binary); its state is the
// version of the target and the host. Rows that share a measurement are a group. Confirm jobs are
// no rows: they are the fresh pairs, all of them, so that to repeat one until it is lucky does not
// help. Failures that are the decision's own are counted. Not thread safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/policy/policy.h"
#include "server/learner/buffer/experience.h"
#include "server/learner/ope/decision_log.h"
#include "server/learner/ope/off_policy.h"

namespace hone {

struct TargetLogFilter {
  std::string target;
  std::string baseline = "O3";          // as experiences spell it
  std::optional<std::int64_t> version;  // of the target; nothing: all
};

// What is known of one decision beside its rows.
struct LoggedRules {
  std::vector<RewardEstimate> confirmed;  // each measurement once
  std::size_t failures = 0;
  std::string first_failure;  // "miscompiled: output differs"
};

class TargetLog {
 public:
  explicit TargetLog(TargetLogFilter filter) : filter_(std::move(filter)) {}

  // Rows of others are passed over. too_large past kMaxLoggedActions decisions; invalid_argument
  // for rules that are none.
  Result<void> add(const Experience& row);

  DecisionLog log() const;
  // The decision that a policy's rules are: rules that a target's scope puts in front (plain ones)
  // need not be a candidate's. Nothing if no candidate had them.
  std::optional<std::size_t> action_of(const std::vector<Rule>& rules) const;
  const LoggedRules& rules(std::size_t action) const { return rules_[action]; }

  std::size_t rows() const { return rows_.size(); }
  std::size_t without_propensity() const { return without_propensity_; }
  std::size_t failures() const { return failures_; }

 private:
  struct Row {
    std::size_t action = 0;
    double log_propensity = 0;
    double reward = 0;
    std::size_t group = 0;
    std::int64_t version = 0;
    std::string host;
  };
  Result<std::size_t> number_of(const std::string& rules);
  void add_race(const Experience& row, std::size_t action, double reward);

  TargetLogFilter filter_;
  std::map<std::string, std::size_t> actions_;  // by canonical rules
  std::map<std::string, std::size_t> read_;     // the same by their texts, as they came
  std::vector<LoggedRules> rules_;
  std::vector<Row> rows_;
  std::set<std::string> hosts_;
  std::map<std::vector<double>, std::size_t> measurements_;  // groups of rows
  std::size_t groups_ = 0;
  std::size_t without_propensity_ = 0;
  std::size_t failures_ = 0;
};

// The mean of measurements, each weighing by its pairs, with the interval that theirs make;
// nothing if there are none.
std::optional<OffPolicyEstimate> pooled(const std::vector<RewardEstimate>& measured);

// made - current, of independent estimates: the half widths' squares add up.
OffPolicyEstimate difference_of(const OffPolicyEstimate& made, const OffPolicyEstimate& current);

}  // namespace hone
