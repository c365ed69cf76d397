#include "worker/build/candidate_policy.h"

#include <algorithm>

#include "common/base/text.h"
#include "common/policy/allow_list.h"
#include "common/policy/index.h"
#include "common/policy/scope.h"

namespace hone {

Result<CandidatePolicy> make_candidate_policy(const std::string& target, const TuneSpec& tune,
                                              const std::vector<Rule>& rules,
                                              const std::set<std::string>& sources,
                                              int compiler_major) {
  Policy policy;
  policy.target = target;
  policy.sequence = 1;
  policy.compiler.major = compiler_major;
  policy.rules = plain_rules_outside(tune.include, tune.exclude, sources);
  CandidatePolicy result;
  for (const Rule& rule : rules) {
    policy.rules.push_back(rule);
    if (!check_decision(rule.decision, policy.compiler.family, compiler_major)) {
      result.refused.insert(policy.rules.size() - 1);
      policy.rules.back().decision = Decision{};
    }
  }
  HONE_TRY(result.index, compile_index(policy));
  result.rules = std::move(policy.rules);
  return result;
}

void mark_refused(const CandidatePolicy& policy, std::vector<EffectiveDecision>& decisions) {
  if (policy.refused.empty()) {
    return;
  }
  for (EffectiveDecision& decision : decisions) {
    if (decision.reason != "rule_says_plain") {
      continue;
    }
    const auto rule = std::find_if(
        policy.rules.begin(), policy.rules.end(),
        [&](const Rule& candidate) { return matches_glob(candidate.source, decision.source); });
    if (rule != policy.rules.end() &&
        policy.refused.contains(static_cast<std::size_t>(rule - policy.rules.begin()))) {
      decision.meant = true;
      decision.reason = "not_allowed";
    }
  }
}

}  // namespace hone
