// The commands of `hone env shell`: their names (CompilerGym's manual_env's, and shorter ones),
// what they are given, and what they do, for people. Constant data. Thread safe.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace hone {

enum class ShellVerb : std::uint8_t {
  help,
  tutorial,
  list_actions,
  action,
  list_observations,
  observation,
  set_default_observation,
  list_rewards,
  reward,
  set_default_reward,
  stack,
  simplify_stack,
  undo,
  reset,
  commandline,
  fork,
  switch_to,
  try_all_actions,
  random,
  hill_climb,
  greedy,
  write,
  write_state,
  validate,
  list_datasets,
  list_benchmarks,
  set_benchmark,
  exit,
};

// What the words behind a command are, for completion and for how many there may be.
enum class ShellWords : std::uint8_t {
  none,
  command,
  actions,
  observation,
  reward,
  number,
  fork,
  file,
  dataset,
  program,
};

struct ShellCommand {
  ShellVerb verb;
  std::string_view name;
  std::string_view other_names;  // separated by blanks
  ShellWords words;
  std::size_t least = 0;  // words
  std::size_t most = 0;
  std::string_view usage;  // of the words
  std::string_view about;
};

std::span<const ShellCommand> shell_commands();

// "undo [N]".
std::string shell_usage(const ShellCommand& command);

// An example, a command a line with what it does.
std::string_view shell_tutorial();

// By any of its names; '-' and '_' are alike. invalid_argument with the closest name.
Result<const ShellCommand*> find_shell_command(std::string_view name);

}  // namespace hone
