// What came of validating a state, with the fields of CompilerGym's ValidationResult (00cd50f,
// validation_result.py). Plain values.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>  // held by value below

#include "common/json/document.h"
#include "common/sessions/episode_state.h"

namespace hone {

struct ValidationError {
  std::string type;  // short: "Wrong output"
  Json data;         // an object: what helps to find the reason
};

struct ValidationResult {
  EpisodeState state;
  double walltime = 0;                         // seconds that the validation took
  bool reward_validated = false;               // the state has a reward, and it was looked at
  bool actions_replay_failed = false;          // the passes fail, or lead to two different states
  bool reward_validation_failed = false;       // the reward is another one
  bool benchmark_semantics_validated = false;  // the program was run
  bool benchmark_semantics_validation_failed = false;  // and does something else
  std::vector<ValidationError> errors;

  bool ok() const {
    return !actions_replay_failed && !reward_validation_failed &&
           !benchmark_semantics_validation_failed;
  }
};

Json to_json(const ValidationResult& result);

// Every type of error with how often it is there, the most frequent first, as CompilerGym tells
// them: "Wrong output", "3× Memory leak", "[1/2] 3× Memory leak, [2/2] Wrong output".
std::string error_details(const ValidationResult& result);

// Whether a reward is the one that was written down, within CompilerGym's tolerance: relative 1e-5
// or absolute 1e-10.
bool same_reward(double expected, double actual);

}  // namespace hone
