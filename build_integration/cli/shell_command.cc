#include "build_integration/cli/shell_command.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "common/base/text.h"

namespace hone {
namespace {

constexpr std::size_t kMany = 1000;
using enum ShellWords;

constexpr auto kCommands = std::to_array<ShellCommand>({
    {ShellVerb::help, "help", "?", command, 0, 1, "[COMMAND]", "what there is, or what one does"},
    {ShellVerb::tutorial, "tutorial", "", none, 0, 0, "", "an example, step by step"},
    {ShellVerb::list_actions, "list_actions", "actions", none, 0, 0, "", "all actions"},
    {ShellVerb::action, "action", "step", actions, 1, kMany, "ACTION...",
     "applies actions in order; - is a random one, -gvn CompilerGym's, function(sroa,gvn) a "
     "pipeline"},
    {ShellVerb::list_observations, "list_observations", "observations", none, 0, 0, "",
     "all observations"},
    {ShellVerb::observation, "observation", "observe", observation, 0, 1, "[NAME]",
     "shows one, or the default one"},
    {ShellVerb::set_default_observation, "set_default_observation", "", observation, 0, 1, "[NAME]",
     "is shown after every action; without a name none is"},
    {ShellVerb::list_rewards, "list_rewards", "rewards", none, 0, 0, "", "all rewards"},
    {ShellVerb::reward, "reward", "", ShellWords::reward, 0, 1, "[NAME]",
     "of the episode so far, by name or the default one"},
    {ShellVerb::set_default_reward, "set_default_reward", "", ShellWords::reward, 1, 1, "NAME",
     "is shown after every action, and what searches look for"},
    {ShellVerb::stack, "stack", "history", none, 0, 0, "",
     "the actions so far, with their rewards"},
    {ShellVerb::simplify_stack, "simplify_stack", "", none, 0, 0, "",
     "applies again only those actions that had a reward"},
    {ShellVerb::undo, "undo", "back", number, 0, 1, "[N]", "takes back the last action, or N"},
    {ShellVerb::reset, "reset", "", none, 0, 0, "", "takes back all actions"},
    {ShellVerb::commandline, "commandline", "", none, 0, 0, "", "how opt does the same"},
    {ShellVerb::fork, "fork", "", ShellWords::fork, 0, 1, "[NAME]",
     "keeps a copy of the program as it is now under a name; without one lists them"},
    {ShellVerb::switch_to, "switch", "", ShellWords::fork, 1, 1, "NAME",
     "goes on with a copy, which is as it was left"},
    {ShellVerb::try_all_actions, "try_all_actions", "try", number, 0, 1, "[N]",
     "the reward that each action would have, the best N"},
    {ShellVerb::random, "random", "", number, 0, 1, "[N]", "applies N random actions"},
    {ShellVerb::hill_climb, "hill_climb", "", number, 0, 1, "[N]",
     "tries N random actions, keeps those with a reward"},
    {ShellVerb::greedy, "greedy", "", number, 0, 1, "[N]",
     "applies the best action N times, while one has a reward"},
    {ShellVerb::write, "write", "", file, 1, 1, "FILE", "writes bitcode, or IR text to a file.ll"},
    {ShellVerb::write_state, "write_state", "", file, 1, 1, "FILE",
     "adds the state to a file of CompilerGym's CSV"},
    {ShellVerb::validate, "validate", "", none, 0, 0, "",
     "replays the actions elsewhere: same program, same reward, and it runs as before"},
    {ShellVerb::list_datasets, "list_datasets", "", none, 0, 0, "", "what programs there are"},
    {ShellVerb::list_benchmarks, "list_benchmarks", "", dataset, 1, 1, "DATASET", "its programs"},
    {ShellVerb::set_benchmark, "set_benchmark", "", program, 1, 1, "PROGRAM",
     "opens another program"},
    {ShellVerb::exit, "exit", "quit", none, 0, 0, "", "so does Ctrl-D"},
});

std::string with_underscores(std::string_view name) {
  std::string text(name);
  std::ranges::replace(text, '-', '_');
  return text;
}

constexpr std::string_view kTutorial = R"(  action -mem2reg       one of CompilerGym's actions
  action sroa gvn       two of this LLVM's, in order; list_actions has all
  stack                 what was done, and what it was worth
  undo                  takes gvn back
  try_all_actions 5     the five best of all actions, tried on copies
  greedy 3              applies the best one, three times
  observation Autophase what the program looks like
  reward IrInstructionCountOz   1 is what -Oz gains
  commandline           how opt does the same
  validate              replayed elsewhere, it comes to the same
)";

}  // namespace

std::span<const ShellCommand> shell_commands() {
  return kCommands;
}

Result<const ShellCommand*> find_shell_command(std::string_view name) {
  const std::string wanted = with_underscores(name);
  std::vector<std::string> names;
  for (const ShellCommand& candidate : kCommands) {
    if (candidate.name == wanted) {
      return &candidate;
    }
    names.emplace_back(candidate.name);
    for (const std::string_view other : split(candidate.other_names, ' ')) {
      if (!other.empty() && other == wanted) {
        return &candidate;
      }
      names.emplace_back(other);
    }
  }
  const std::string close = closest(wanted, names);
  return fail(ErrorCode::invalid_argument,
              "unknown command '" + std::string(name) + "'" +
                  (close.empty() ? "" : ": did you mean " + close + "?") + " (help lists them)");
}

std::string shell_usage(const ShellCommand& command) {
  return fmt::format("{}{}{}", command.name, command.usage.empty() ? "" : " ", command.usage);
}

std::string_view shell_tutorial() {
  return kTutorial;
}

}  // namespace hone
