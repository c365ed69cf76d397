// What single passes brought in logged compile sessions (/v1/transitions): the cost of the state
// before and after a step of one pass, by what the log knows of both. Thread safe.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "server/learner/knowledge/pass_tries.h"

namespace hone {

// By program, of a file that `hone-learner export --stream transitions` wrote. `observation` is the
// space that the cost is seen in ("IrInstructionCount"). Steps between states whose cost nobody
// observed, of several pipelines at once, and from a state that is worse than an earlier one of its
// episode are passed over. not_found, too_large (8 GiB);
// invalid_argument with the number of a line that is none.
Result<std::map<std::string, std::vector<PassTry>>> transition_tries(
    const std::filesystem::path& file, const std::string& observation);

}  // namespace hone
