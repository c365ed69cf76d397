// The searches of `hone env shell`: each looks for actions to add to what there is.
#include <algorithm>

#include <fmt/format.h>

#include "build_integration/cli/session_shell.h"
#include "build_integration/cli/text_table.h"
#include "common/base/printable.h"

namespace hone {

Result<std::vector<ShellTrial>> SessionShell::try_all() {
  std::vector<ShellTrial> trials;
  for (const Action& action : space_.actions()) {
    trials.push_back({action.name, action.pipeline, std::nullopt, "", false});
  }
  HONE_TRY(trials, session_.try_actions(std::move(trials), settings_.reward, settings_.stop));
  // The best first, then by name; those that fail at the end.
  std::ranges::sort(trials, [](const ShellTrial& a, const ShellTrial& b) {
    if (a.reward.has_value() != b.reward.has_value()) {
      return a.reward.has_value();
    }
    return a.reward != b.reward ? *a.reward > *b.reward : a.action < b.action;
  });
  return trials;
}

Result<void> SessionShell::print_trials(std::size_t most) {
  HONE_TRY(const std::vector<ShellTrial> trials, try_all());
  TextTable table({{"action", Align::left, 60}, {"effect"}, {"reward", Align::right}});
  for (std::size_t i = 0; i < std::min(most, trials.size()); ++i) {
    table.add({trials[i].action, trials[i].changed ? "yes" : "no",
               trials[i].reward ? fmt::format("{:g}", *trials[i].reward) : "failed"});
  }
  settings_.print(table.text());
  for (const ShellTrial& trial : trials) {
    if (!trial.reward) {
      settings_.print(fmt::format("{}: {}\n", trial.action, printable(trial.failure)));
    }
  }
  return {};
}

Result<void> SessionShell::random(std::size_t steps) {
  for (std::size_t i = 0; i < steps && !settings_.stop.stop_requested(); ++i) {
    const Action& action = random_action();
    HONE_CHECK(apply(action.name, action.pipeline));
  }
  return {};
}

Result<void> SessionShell::hill_climb(std::size_t steps) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < steps && !settings_.stop.stop_requested(); ++i) {
    const Action& action = random_action();
    HONE_TRY(const bool succeeded, apply(action.name, action.pipeline));
    if (succeeded && session_.stack().back().reward <= 0) {
      HONE_CHECK(session_.undo(1));
    } else if (succeeded) {
      ++kept;
    }
  }
  settings_.print(fmt::format("{} of {} actions kept\n", kept, steps));
  return {};
}

Result<void> SessionShell::greedy(std::size_t steps) {
  for (std::size_t i = 0; i < steps && !settings_.stop.stop_requested(); ++i) {
    HONE_TRY(const std::vector<ShellTrial> trials, try_all());
    if (trials.empty() || !trials.front().reward || *trials.front().reward <= 0) {
      settings_.print("no action has a reward above 0\n");
      return {};
    }
    HONE_CHECK(apply(trials.front().action, trials.front().pipeline));
  }
  return {};
}

}  // namespace hone
