// Validates states: the passes are applied to the program in two sessions, which must come to the
// same module and to the reward that was written down; a program that can be run must do what it
// did before. Not thread safe.
#pragma once

#include <array>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "build_integration/programs/program_loader.h"
#include "build_integration/programs/sanitized_bitcode.h"
#include "common/base/result.h"
#include "common/sessions/session_client.h"
#include "common/sessions/validation_result.h"

namespace hone {

inline constexpr std::string_view kRuntimeVaries =
    "the reward Runtime varies from run to run, so that no replay has the same one: choose another";

struct ValidatorSettings {
  RewardSpace reward{Cost::ir_instruction_count, RewardForm::oz};  // not of Runtime, which varies
  std::vector<Sanitizer> sanitizers;  // that programs which can be run are also built with
};

class StateValidator {
 public:
  // The client and the loader must serve nobody else meanwhile.
  StateValidator(SessionClient client, ProgramLoader& programs, ValidatorSettings settings,
                 std::stop_token stop)
      : client_(std::move(client)),
        programs_(programs),
        settings_(std::move(settings)),
        stop_(std::move(stop)) {}

  // What is wrong with the state is in the result. Errors: unavailable if the session server is
  // lost, cancelled, io_failed.
  Result<ValidationResult> validate(const EpisodeState& state);

 private:
  struct Replay {
    std::string failure;  // empty: it came to its end
    std::string hash;
    double reward = 0;
    std::string bitcode;
  };
  Result<void> check(ValidationResult& result);
  // Both at once.
  Result<std::pair<Replay, Replay>> replay(const Program& program,
                                           const std::vector<std::string>& pipelines);
  // Where the reward is of the linked program.
  Result<void> link_rewards(const Program& program, std::array<Replay, 2>& replays);
  Result<std::vector<SessionReply>> ask_both(const SessionRequest& request);
  Result<void> check_semantics(const Program& program, const std::string& bitcode,
                               ValidationResult& result);

  SessionClient client_;
  ProgramLoader& programs_;
  ValidatorSettings settings_;
  std::stop_token stop_;
};

}  // namespace hone
