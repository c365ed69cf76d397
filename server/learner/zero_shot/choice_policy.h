// A general policy for products that nobody tuned: for each level a choice that was grown on
// training programs, and a card that says on which, with what gain, measured and to be expected.
// Not thread safe.
#pragma once

#include <functional>
#include <optional>
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
  std::string level = "O3";              // of the compiles that it is for
  std::vector<CandidateMember> members;  // the first is the compiler's own pipeline
  std::size_t most_depth = 4;
  double most_compile_time = 1.10;  // of a member, median over the programs, in plain compiles
  // Of a member's screening (CandidateMember), at most; nothing: none is asked for.
  std::optional<double> most_instructions{};
  std::string objective;    // for the card
  ChoiceTreeSettings tree;  // its depth is chosen
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

// A member that failed on a program, that makes compiles slower than is allowed, or whose screening
// does not hold what is asked for, is left out, and one that no leaf picks. The tree's depth is the
// one that gains most on held-out families, of equals the least. The policy's one rule is for the
// level, its card {"levels": {LEVEL: {...}}}. invalid_argument without programs.
Result<Policy> make_choice_policy(const std::vector<TrainedProgram>& programs,
                                  const ChoicePolicySettings& settings);

// `made` with the rules and the cards of `kept`'s other levels. invalid_argument if `kept` is not a
// policy of this kind: rules for one level each, and a card of levels.
Result<Policy> with_other_levels(Policy made, const Policy& kept);

}  // namespace hone
