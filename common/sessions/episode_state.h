// What is needed to come to a state again: program and passes, as CompilerGym's CompilerEnvState,
// and the CSV that it is written to and read from (00cd50f, compiler_env_state.py). Plain values.
//
//   benchmark,reward,walltime,commandline
//   benchmark://cbench-v1/crc32,0.25,1.5,opt -sroa -gvn input.bc -o output.bc
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/json/document.h"

namespace hone {

struct EpisodeState {
  std::string benchmark;         // a URI
  std::optional<double> reward;  // of the whole episode; nothing: none was asked for
  double walltime = 0;           // seconds that the episode took
  std::string commandline;       // opt_command.h
};

// Without the line end.
extern const std::string_view kStateCsvHeader;
std::string to_csv(const EpisodeState& state);
Json to_json(const EpisodeState& state);

struct StateRow {
  std::size_t line = 0;  // of the file, from 1
  // invalid_argument with the column, the value and what would be right.
  Result<EpisodeState> state = EpisodeState();
};

// Every row below the header, whose columns may stand in any order. invalid_argument for a header
// that lacks a column, has another, or is not there.
Result<std::vector<StateRow>> read_states(std::string_view text);

}  // namespace hone
