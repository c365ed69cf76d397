// CompilerGym's states (CSV: benchmark, reward, walltime, commandline) as rows that can be learned
// from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace hone {

struct StateImport {
  // NDJSON, a line a state: {"benchmark", "pipelines", "commandline", "reward" or null, "walltime",
  // "line"}. "pipelines" are the passes in order, as compile sessions take them.
  std::string lines;
  std::size_t accepted = 0;
  std::vector<std::string> refused;  // "line 3: commandline 'opt -x': ...", in order
};

// invalid_argument for a header that is not that of states.
Result<StateImport> import_states(std::string_view csv);

}  // namespace hone
