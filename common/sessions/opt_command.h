// A sequence of passes as the command line that CompilerGym's states hold.
//
//   opt -sroa -gvn input.bc -o output.bc                    where each is one of CompilerGym's
//   opt -passes='function(sroa,gvn<no-pre>)' input.bc -o output.bc     else, as opt-19 takes it
//
// Both are read and written. Quotes are those of a shell; nothing is ever given to one. Thread
// safe.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace hone {

struct OptCommand {
  std::vector<std::string> pipelines;  // one for each flag, or for each node at the top of -passes=
  std::vector<std::string> remarks;    // for people: flags that are another pass now, or none
};

// invalid_argument names the word and what would be right; not_found for a flag that is none of
// CompilerGym's, unsupported for one that is excluded, with the reason. Whether passes that are
// written out exist is for the session to say.
Result<OptCommand> parse_opt_command(std::string_view text);

std::string opt_command(std::span<const std::string> pipelines);

}  // namespace hone
