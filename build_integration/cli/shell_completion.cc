#include "build_integration/cli/shell_completion.h"

#include <algorithm>

#include "build_integration/cli/shell_command.h"
#include "build_integration/cli/shell_word.h"
#include "common/base/text.h"
#include "common/pipelines/compiler_gym.h"
#include "common/sessions/observation_space.h"
#include "common/sessions/reward_space.h"

namespace hone {

std::vector<std::string> shell_completions(std::string_view text, const ShellChoices& known) {
  const std::size_t blank = text.find_last_of(" \t");
  const std::string_view word = text.substr(blank == std::string_view::npos ? 0 : blank + 1);
  const std::string_view before = trim(text.substr(0, text.size() - word.size()));
  std::vector<std::string> choices;
  const auto add_commands = [&choices] {
    for (const ShellCommand& command : shell_commands()) {
      choices.emplace_back(command.name);
    }
  };
  if (before.empty()) {
    add_commands();
  } else if (const auto command = find_shell_command(before.substr(0, before.find(' ')))) {
    switch ((*command)->words) {
      case ShellWords::command:
        add_commands();
        break;
      case ShellWords::actions:
        for (const Action& action : known.space.actions()) {
          choices.push_back(action.name);
        }
        for (const CompilerGymAction& action : compiler_gym_actions()) {
          choices.push_back("-" + std::string(action.flag));
        }
        break;
      case ShellWords::observation:
        choices = listed(kObservationSpaceChoices);
        break;
      case ShellWords::reward:
        choices = listed(kRewardSpaceChoices);
        break;
      case ShellWords::fork:
        choices = known.copies;
        break;
      case ShellWords::dataset:
      case ShellWords::program:
        choices = known.datasets;
        break;
      case ShellWords::none:
      case ShellWords::number:
      case ShellWords::file:
        break;
    }
  }
  std::erase_if(choices, [&](const std::string& choice) { return !choice.starts_with(word); });
  // Flags are offered once their dash is there.
  if (word.empty()) {
    std::erase_if(choices, [](const std::string& choice) { return choice.starts_with('-'); });
  }
  std::ranges::sort(choices);
  return choices;
}

}  // namespace hone
