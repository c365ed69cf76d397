// The actions of `hone env shell`: found by their names, applied, and what is on the stack of them.
#include <fmt/format.h>

#include "build_integration/cli/observation_text.h"
#include "build_integration/cli/session_action.h"
#include "build_integration/cli/session_shell.h"
#include "build_integration/cli/shell_word.h"
#include "build_integration/cli/text_table.h"
#include "common/base/printable.h"
#include "common/pipelines/compiler_gym.h"
#include "common/pipelines/forest.h"

namespace hone {

Result<std::optional<Action>> SessionShell::action_of(const std::string& word) {
  if (word == "-") {
    return std::optional(random_action());
  }
  const bool named = space_.find(word).has_value() || word.starts_with('-');
  const Result<SessionAction> known = session_action(space_, word);
  if (!known && known.error().code == ErrorCode::not_found) {
    std::vector<std::string> flags;
    for (const CompilerGymAction& action : compiler_gym_actions()) {
      flags.push_back("-" + std::string(action.flag));
    }
    return unknown_word("action", word, flags, "list_actions");
  }
  if (!known) {
    return known.error();
  }
  if (!known->remark.empty()) {
    settings_.print(fmt::format("{}: {}\n", word, known->remark));
  }
  if (known->pipeline.empty()) {
    return std::optional<Action>();
  }
  if (!named) {
    // Told before any of the line's actions is applied.
    const Result<Forest> forest = parse_pipeline(known->pipeline);
    const bool plain = word.find_first_of("(<,") == std::string::npos;
    const Result<void> allowed =
        forest ? check_pipeline(*forest, kSessionLlvmMajor) : Result<void>(forest.error());
    if (!allowed && plain) {
      std::vector<std::string> names;
      for (const Action& action : space_.actions()) {
        names.push_back(action.name);
      }
      return unknown_word("action", word, names, "list_actions");
    }
    HONE_CHECK(allowed);
  }
  return std::optional(Action{word, known->pipeline, PassLevel::module});
}

const Action& SessionShell::random_action() {
  return space_.actions()[random_.below(space_.actions().size())];
}

Result<bool> SessionShell::apply(const std::string& name, const std::string& pipeline) {
  std::vector<ObservationSpace> observe;
  if (observation_) {
    observe.push_back(*observation_);
  }
  HONE_TRY(const SessionReply reply, session_.step(name, pipeline, settings_.reward, observe));
  if (reply.outcome != StepOutcome::ok) {
    settings_.print(fmt::format("{}: {}: {}; the program is as it was before\n", name,
                                to_string(reply.outcome), printable(reply.reason)));
    return false;
  }
  settings_.print(fmt::format("{}: reward {} {:g}{}\n", name, to_string(settings_.reward),
                              session_.stack().back().reward, reply.changed ? "" : ", no effect"));
  for (const auto& [space, observation] : reply.observations) {
    settings_.print(fmt::format("{}: {}\n", space, observation_text(observation)));
  }
  return true;
}

Result<void> SessionShell::act(const std::vector<std::string>& words) {
  std::vector<Action> actions;
  for (const std::string& word : words) {
    HONE_TRY(std::optional<Action> action, action_of(word));
    if (action) {
      actions.push_back(*std::move(action));
    }
  }
  for (const Action& action : actions) {
    HONE_TRY(const bool succeeded, apply(action.name, action.pipeline));
    if (!succeeded || settings_.stop.stop_requested()) {
      break;
    }
  }
  return {};
}

void SessionShell::print_stack() {
  if (session_.stack().empty()) {
    settings_.print("no action yet\n");
    return;
  }
  TextTable table({{"#", Align::right},
                   {"action", Align::left, 80},
                   {"effect"},
                   {"reward", Align::right},
                   {"sum", Align::right}});
  double sum = 0;
  std::size_t number = 0;
  for (const ShellStep& step : session_.stack()) {
    sum += step.reward;
    table.add({std::to_string(++number), step.action, step.changed ? "yes" : "no",
               fmt::format("{:g}", step.reward), fmt::format("{:g}", sum)});
  }
  settings_.print(table.text());
}

Result<void> SessionShell::simplify_stack() {
  const std::vector<ShellStep> steps = session_.stack();
  HONE_CHECK(session_.reset());
  for (const ShellStep& step : steps) {
    if (step.reward > 0) {
      HONE_CHECK(apply(step.action, step.pipeline));
    }
  }
  return {};
}

}  // namespace hone
