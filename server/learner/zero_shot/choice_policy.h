// A general policy for products that nobody tuned: a choice that was grown on training programs,
// and the card that says on which, with what gain, measured and to be expected. Not thread safe.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/policy/policy.h"
#include "server/learner/zero_shot/choice_tree.h"
#include "server/learner/zero_shot/member_lab.h"
#include "server/learner/zero_shot/members.h"

namespace hone {

struct ChoicePolicySettings {
  std::vector<CandidateMember> members;  // the first is the compiler's own pipeline
  std::size_t most_depth = 4;
  double most_compile_time = 1.10;  // of a member, median over the programs, in plain compiles
  ChoiceTreeSettings tree;          // its depth is chosen
  std::string made_by;
  std::string made_at;  // RFC 3339
};

struct TrainedProgram {
  std::string uri;
  LabResults results;  // one for each of the settings' members
};

// The family of a program: benchmark://debian-v0/zstd of any of zstd's files, generator://csmith-v0
// of any program of csmith.
std::string family_of(std::string_view uri);

// A member that failed on a program, or that makes compiles slower than is allowed, is left out,
// and one that no leaf picks. The tree's depth is the one that gains most on held-out families, of
// equals the least. invalid_argument without programs.
Result<Policy> make_choice_policy(const std::vector<TrainedProgram>& programs,
                                  const ChoicePolicySettings& settings);

}  // namespace hone
