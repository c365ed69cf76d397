// What `hone-learner zero-shot` was asked for, and what its two uses have in common.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "server/learner/commands/command.h"
#include "server/learner/zero_shot/choice_policy.h"

namespace hone {

struct ZeroShotOptions {
  std::string programs;
  std::string members;
  std::string work;
  std::string output;
  std::string into;
  std::string evaluate;
  // A tenth of the 1 % from which a difference of time counts: a product has parts unlike the few
  // benchmarks that members are screened on.
  double instructions = 0.001;
  std::size_t sequence = 1;
  ChoicePolicySettings settings;
};

// What the members make of the programs at the settings' level; those that cannot be compiled are
// left out, which is said. Errors of the loader and the lab that are not a program's own.
Result<std::vector<TrainedProgram>> measure_members(const LearnerContext& context,
                                                    const ZeroShotOptions& options,
                                                    const std::vector<ChoiceMember>& members);

// Prints what the policy named by --evaluate makes of programs that it has not seen: bytes of code
// of each, its member, and the means. conflict if a family of them is in the policy's card;
// not_found if it has no choice for the level.
Result<void> evaluate_choice(const LearnerContext& context, const ZeroShotOptions& options);

// A policy's document in a file; errors with the file's name.
Result<Policy> read_choice_policy(const std::string& file);

}  // namespace hone
