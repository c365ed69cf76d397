// What `hone env shell` shows of the program and of itself.
#include <fmt/format.h>

#include "build_integration/cli/observation_text.h"
#include "build_integration/cli/session_shell.h"
#include "build_integration/cli/shell_word.h"
#include "build_integration/cli/text_table.h"

namespace hone {

Result<void> SessionShell::help(const std::vector<std::string>& words) {
  if (!words.empty()) {
    HONE_TRY(const ShellCommand* const command, find_shell_command(words.front()));
    settings_.print(fmt::format("{}{}{}\n  {}\n", shell_usage(*command),
                                command->other_names.empty() ? "" : ", also ", command->other_names,
                                command->about));
    return {};
  }
  TextTable table({{"command"}, {"", Align::left, 100}});
  for (const ShellCommand& command : shell_commands()) {
    table.add({shell_usage(command), std::string(command.about)});
  }
  settings_.print(table.text());
  return {};
}

Result<void> SessionShell::observe(const std::vector<std::string>& words) {
  std::optional<ObservationSpace> space = observation_;
  if (!words.empty()) {
    HONE_TRY(space, observation_word(words.front()));
  }
  if (!space) {
    return fail(ErrorCode::invalid_argument,
                "there is no default observation: observation NAME (list_observations lists them)");
  }
  if (*space == ObservationSpace::bitcode) {
    return fail(ErrorCode::invalid_argument, "Bitcode is no text: write FILE writes it");
  }
  HONE_TRY(const Observation seen, session_.observe(*space));
  settings_.print(fmt::format("{}\n", observation_text(seen)));
  return {};
}

Result<void> SessionShell::set_default_observation(const std::vector<std::string>& words) {
  if (words.empty()) {
    observation_.reset();
    return {};
  }
  HONE_TRY(const ObservationSpace space, observation_word(words.front()));
  if (space == ObservationSpace::bitcode) {
    return fail(ErrorCode::invalid_argument, "Bitcode is no text: write FILE writes it");
  }
  observation_ = space;
  return {};
}

Result<RewardSpace> SessionShell::reward_of(const std::vector<std::string>& words) const {
  if (words.empty()) {
    return settings_.reward;
  }
  return reward_word(words.front());
}

Result<void> SessionShell::list_datasets() {
  TextTable table({{"data set"}, {"its programs"}});
  for (const auto& [uri, about] : programs_->datasets()) {
    table.add({uri, about});
  }
  settings_.print(table.text());
  return {};
}

}  // namespace hone
