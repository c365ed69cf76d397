// hone-learner evaluate --rows
#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "server/learner/commands/evaluate_options.h"
#include "server/learner/models/member_bandit.h"
#include "server/learner/models/training_rows.h"

namespace hone {
namespace {

struct NamedBandit {
  std::string name;
  Model model;
  std::shared_ptr<const MemberBandit> bandit;
};

Result<NamedBandit> read_bandit(const std::string& file, const TrainingRows& rows) {
  NamedBandit made;
  made.name = std::filesystem::path(file).filename().string();
  HONE_TRY(made.model, read_model(file, ModelKind::bandit));
  if (made.model.features != rows.features() || made.model.feature_version != rows.version()) {
    return fail(ErrorCode::conflict,
                fmt::format("{} sees {} features of version {}, the rows have {} of version {}, or "
                            "others",
                            made.name, made.model.features.size(), made.model.feature_version,
                            rows.features().size(), rows.version()));
  }
  HONE_TRY(MemberBandit bandit, MemberBandit::of(made.model));
  if (bandit.members() != rows.members()) {
    return fail(ErrorCode::conflict, fmt::format("{} orders {} members, the rows choose among {}",
                                                 made.name, bandit.members(), rows.members()));
  }
  made.bandit = std::make_shared<const MemberBandit>(std::move(bandit));
  return made;
}

// The member that is to be tried first, for sure. What was asked once is remembered: an order is
// made of all programs that the bandit knows.
PolicyProbabilities first_choice(const NamedBandit& named) {
  const auto known = std::make_shared<std::map<std::vector<double>, std::size_t>>();
  return [bandit = named.bandit, known](std::span<const double> features) {
    const std::vector<double> key(features.begin(), features.end());
    auto found = known->find(key);
    if (found == known->end()) {
      found = known->emplace(key, bandit->order(features).front()).first;
    }
    std::vector<double> chances(bandit->members(), 0.0);
    chances[found->second] = 1;
    return chances;
  };
}

Result<DecisionLog> log_of(const TrainingRows& rows, const std::string& file) {
  Result<DecisionLog> log = rows.decisions();
  if (!log) {
    return log.error().within(file);
  }
  log->groups.assign(rows.groups().begin(), rows.groups().end());
  return log;
}

// The difference on rows of programs that nobody has seen.
Result<OffPolicyEstimate> on_fresh_rows(const EvaluateOptions& options, const TrainingRows& log,
                                        const NamedBandit& made,
                                        const std::optional<NamedBandit>& current) {
  HONE_TRY(const TrainingRows rows, read_training_rows(options.fresh));
  if (rows.features() != log.features() || rows.version() != log.version() ||
      rows.members() != log.members()) {
    return fail(ErrorCode::conflict,
                options.fresh + " has other features or members than " + options.rows);
  }
  std::set<std::string> seen(log.programs().begin(), log.programs().end());
  for (const NamedBandit* named : {&made, current ? &*current : &made}) {
    seen.insert(named->model.data.programs.begin(), named->model.data.programs.end());
  }
  for (const std::string& program : rows.programs()) {
    if (seen.contains(program)) {
      return fail(ErrorCode::conflict,
                  fmt::format("{} is not fresh: {} stands in {} or trained a model", options.fresh,
                              program, options.rows));
    }
  }
  HONE_TRY(const DecisionLog fresh, log_of(rows, options.fresh));
  if (current) {
    return compare_off_policy(fresh, first_choice(made), first_choice(*current));
  }
  HONE_TRY(const OffPolicyResult result, evaluate_off_policy(fresh, first_choice(made)));
  return result.doubly_robust;
}

}  // namespace

Result<EvaluateOutcome> evaluate_on_rows(const EvaluateOptions& options) {
  HONE_TRY(const TrainingRows rows, read_training_rows(options.rows));
  HONE_TRY(const DecisionLog log, log_of(rows, options.rows));
  HONE_TRY(const NamedBandit made, read_bandit(options.policy, rows));
  std::optional<NamedBandit> current;
  if (!options.against.empty() && options.against != "baseline") {
    HONE_TRY(current, read_bandit(options.against, rows));
    HONE_TRY(const auto own, MemberBandit::sequences_of(made.model));
    HONE_TRY(const auto others, MemberBandit::sequences_of(current->model));
    if (own != others) {
      return fail(ErrorCode::conflict,
                  made.name + " and " + current->name + " order other sequences");
    }
  }
  std::optional<PolicyProbabilities> rival;
  if (current) {
    rival = first_choice(*current);
  }
  EvaluateOutcome outcome;
  HONE_TRY(outcome.evaluation, estimate_policy(log, first_choice(made), rival, {}));
  PolicyEvaluation& evaluation = outcome.evaluation;
  evaluation.policy = made.name;
  evaluation.current = current ? current->name : "baseline";
  if (!options.fresh.empty()) {
    Result<OffPolicyEstimate> fresh = on_fresh_rows(options, rows, made, current);
    if (fresh) {
      evaluation.evidence.fresh = *fresh;
    } else if (fresh.error().code != ErrorCode::unsupported) {
      return fresh.error();
    }
  }
  decide(evaluation);
  if (evaluation.decision.publish && !options.output.empty()) {
    HONE_CHECK(write_model(options.output, made.model));
    outcome.published = "published as " + options.output;
  }
  return outcome;
}

}  // namespace hone
