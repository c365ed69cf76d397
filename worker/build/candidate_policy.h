// The policy that a candidate's build is compiled with: the target's exclusions, then the
// candidate's rules. Thread safe.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/policy/policy.h"
#include "common/protocol/attempt_result.h"
#include "common/protocol/target_spec.h"

namespace hone {

struct CandidatePolicy {
  std::string index;              // the bytes of HONE_POLICY
  std::vector<Rule> rules;        // as compiled, first match governs
  std::set<std::size_t> refused;  // of `rules`: outside the allow-list, so made plain
};

// Excluded globs become plain rules of every level, and so do, one by one, the `sources` of the
// baseline's build that match no glob of `include`. A rule outside the allow-list is made plain
// rather than refused: what it was meant for is then recorded as meant, not tuned. invalid_argument
// for rules that are wrong in another way (the message names them).
Result<CandidatePolicy> make_candidate_policy(const std::string& target, const TuneSpec& tune,
                                              const std::vector<Rule>& rules,
                                              const std::set<std::string>& sources,
                                              int compiler_major);

// Corrects the decisions that fell to a refused rule: meant, reason "not_allowed".
void mark_refused(const CandidatePolicy& policy, std::vector<EffectiveDecision>& decisions);

}  // namespace hone
