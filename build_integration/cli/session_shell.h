// `hone env shell`: lines of text in, what comes of them out, as in CompilerGym's manual_env. Knows
// no terminal. Not thread safe.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "build_integration/cli/shell_command.h"
#include "build_integration/cli/shell_session.h"
#include "build_integration/programs/program_loader.h"
#include "common/base/random.h"
#include "common/base/result.h"
#include "common/pipelines/action_space.h"
#include "common/sessions/episode_state.h"

namespace hone {

struct SessionShellSettings {
  std::function<Result<SessionClient>()> start;  // another session server, for `validate`
  std::function<void(std::string_view)> print;
  RewardSpace reward{Cost::ir_instruction_count, RewardForm::oz};
  std::uint64_t seed = 1;  // of random actions
  LinkedSettings linked;
  std::stop_token stop;
};

class SessionShell {
 public:
  // The loader must outlive the shell.
  static Result<SessionShell> create(const std::string& program, ProgramLoader& programs,
                                     SessionShellSettings settings);

  // One line; false once the shell is to end. An error is the line's: the shell goes on, unless the
  // session server is lost (unavailable).
  Result<bool> execute(std::string_view line);
  // What the last word of the text could become.
  std::vector<std::string> complete(std::string_view text) const;
  std::string prompt() const;

 private:
  SessionShell(ShellSession session, ProgramLoader& programs, ActionSpace space,
               SessionShellSettings settings)
      : session_(std::move(session)),
        programs_(&programs),
        space_(std::move(space)),
        settings_(std::move(settings)),
        random_(settings_.seed) {}

  Result<void> run(const ShellCommand& command, const std::vector<std::string>& words);
  Result<void> help(const std::vector<std::string>& words);
  Result<void> act(const std::vector<std::string>& words);
  // Nothing: it does nothing in this LLVM, which is told.
  Result<std::optional<Action>> action_of(const std::string& word);
  // Told; whether it succeeded.
  Result<bool> apply(const std::string& name, const std::string& pipeline);
  Result<void> observe(const std::vector<std::string>& words);
  Result<void> set_default_observation(const std::vector<std::string>& words);
  Result<RewardSpace> reward_of(const std::vector<std::string>& words) const;
  void print_stack();
  Result<void> simplify_stack();
  Result<std::vector<ShellTrial>> try_all();
  Result<void> print_trials(std::size_t most);
  Result<void> random(std::size_t steps);
  Result<void> hill_climb(std::size_t steps);
  Result<void> greedy(std::size_t steps);
  Result<void> write(const std::string& file);
  Result<EpisodeState> state();
  Result<void> validate();
  Result<void> list_datasets();
  const Action& random_action();

  ShellSession session_;
  ProgramLoader* programs_;
  ActionSpace space_;
  SessionShellSettings settings_;
  Random random_;
  std::optional<ObservationSpace> observation_;
};

}  // namespace hone
