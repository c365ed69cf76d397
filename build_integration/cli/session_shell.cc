#include "build_integration/cli/session_shell.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "build_integration/cli/observation_text.h"
#include "build_integration/cli/session_action.h"
#include "build_integration/cli/shell_completion.h"
#include "build_integration/cli/shell_word.h"
#include "build_integration/cli/state_file.h"
#include "build_integration/cli/state_validator.h"
#include "build_integration/cli/text_table.h"
#include "build_integration/cli/validation_summary.h"
#include "common/base/file.h"
#include "common/base/printable.h"
#include "common/base/text.h"
#include "common/base/words.h"
#include "common/pipelines/compiler_gym.h"
#include "common/pipelines/forest.h"
#include "common/sessions/opt_command.h"

namespace hone {
namespace {

constexpr std::size_t kDefaultTrials = 20;  // that try_all_actions shows
constexpr std::size_t kDefaultSteps = 10;   // of the searches
constexpr std::size_t kMaxCopyName = 64;
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

std::string usage_of(const ShellCommand& command) {
  return fmt::format("{}{}{}", command.name, command.usage.empty() ? "" : " ", command.usage);
}

Result<void> check_count(const ShellCommand& command, const std::vector<std::string>& words) {
  if (words.size() < command.least || words.size() > command.most) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} takes {}: {}", command.name,
                            command.most == 0              ? "nothing"
                            : words.size() < command.least ? "at least one word"
                                                           : "one word",
                            usage_of(command)));
  }
  return {};
}

}  // namespace

Result<SessionShell> SessionShell::create(const std::string& program, ProgramLoader& programs,
                                          SessionShellSettings settings) {
  HONE_TRY(ActionSpace space, ActionSpace::create(kSessionLlvmMajor));
  HONE_TRY(Program loaded, programs.load(program));
  HONE_TRY(SessionClient client, settings.start());
  ShellSession session(std::move(client));
  HONE_CHECK(session.open(std::move(loaded)));
  return SessionShell(std::move(session), programs, std::move(space), std::move(settings));
}

std::vector<std::string> SessionShell::complete(std::string_view text) const {
  std::vector<std::string> datasets;
  for (const auto& [uri, about] : programs_->datasets()) {
    datasets.push_back(uri.substr(0, uri.find("PATH")));
  }
  return shell_completions(text, {space_, session_.copies(), std::move(datasets)});
}

std::string SessionShell::prompt() const {
  std::string name = session_.program().uri;
  name = name.substr(name.rfind('/') + 1);
  const bool copies = session_.copies().size() > 1;
  return fmt::format("hone:{}{}> ", name, copies ? "[" + session_.copy() + "]" : "");
}

Result<bool> SessionShell::execute(std::string_view line) {
  HONE_TRY(std::vector<std::string> words, split_words(line));
  if (words.empty() || words.front().starts_with('#')) {
    return true;
  }
  HONE_TRY(const ShellCommand* const command, find_shell_command(words.front()));
  words.erase(words.begin());
  HONE_CHECK(check_count(*command, words));
  if (command->verb == ShellVerb::exit) {
    return false;
  }
  HONE_CHECK(run(*command, words));
  return true;
}

Result<void> SessionShell::run(const ShellCommand& command, const std::vector<std::string>& words) {
  const auto say = [this](std::string_view text) -> Result<void> {
    settings_.print(std::string(text) + "\n");
    return {};
  };
  switch (command.verb) {
    case ShellVerb::help:
      return help(words);
    case ShellVerb::tutorial:
      settings_.print(kTutorial);
      return {};
    case ShellVerb::list_actions: {
      std::vector<std::string> names;
      for (const Action& action : space_.actions()) {
        names.push_back(action.name);
      }
      return say(join(names, ", "));
    }
    case ShellVerb::action:
      return act(words);
    case ShellVerb::list_observations:
      return say(kObservationSpaceChoices);
    case ShellVerb::observation:
      return observe(words);
    case ShellVerb::set_default_observation:
      return set_default_observation(words);
    case ShellVerb::list_rewards:
      return say(kRewardSpaceChoices);
    case ShellVerb::reward: {
      HONE_TRY(const RewardSpace space, reward_of(words));
      HONE_TRY(const double value, session_.episode_reward(space));
      return say(fmt::format("reward {}: {:g}", to_string(space), value));
    }
    case ShellVerb::set_default_reward: {
      HONE_TRY(settings_.reward, reward_of(words));
      return {};
    }
    case ShellVerb::stack:
      print_stack();
      return {};
    case ShellVerb::simplify_stack:
      return simplify_stack();
    case ShellVerb::undo: {
      HONE_TRY(const std::size_t count, number_word(words, 1));
      return session_.undo(count);
    }
    case ShellVerb::reset:
      return session_.reset();
    case ShellVerb::commandline:
      return say(opt_command(session_.pipelines()));
    case ShellVerb::fork:
      if (words.empty()) {
        return say(join(session_.copies(), ", "));
      }
      if (words.front().empty() || words.front().size() > kMaxCopyName) {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("a copy's name must have 1 to {} characters", kMaxCopyName));
      }
      return session_.fork(words.front());
    case ShellVerb::switch_to:
      return session_.switch_to(words.front());
    case ShellVerb::try_all_actions: {
      HONE_TRY(const std::size_t most, number_word(words, kDefaultTrials));
      return print_trials(most);
    }
    case ShellVerb::random: {
      HONE_TRY(const std::size_t steps, number_word(words, 1));
      return random(steps);
    }
    case ShellVerb::hill_climb: {
      HONE_TRY(const std::size_t steps, number_word(words, kDefaultSteps));
      return hill_climb(steps);
    }
    case ShellVerb::greedy: {
      HONE_TRY(const std::size_t steps, number_word(words, kDefaultSteps));
      return greedy(steps);
    }
    case ShellVerb::write:
      return write(words.front());
    case ShellVerb::write_state: {
      HONE_TRY(const EpisodeState reached, state());
      return append_state(words.front(), reached);
    }
    case ShellVerb::validate:
      return validate();
    case ShellVerb::list_datasets:
      return list_datasets();
    case ShellVerb::list_benchmarks: {
      HONE_TRY(const std::vector<std::string> uris, programs_->list(words.front()));
      return say(join(uris, "\n"));
    }
    case ShellVerb::set_benchmark: {
      HONE_TRY(Program program, programs_->load(words.front()));
      return session_.open(std::move(program));
    }
    case ShellVerb::exit:
      return {};
  }
  return {};
}

Result<void> SessionShell::help(const std::vector<std::string>& words) {
  if (!words.empty()) {
    HONE_TRY(const ShellCommand* const command, find_shell_command(words.front()));
    settings_.print(fmt::format("{}{}{}\n  {}\n", usage_of(*command),
                                command->other_names.empty() ? "" : ", also ", command->other_names,
                                command->about));
    return {};
  }
  TextTable table({{"command"}, {"", Align::left, 100}});
  for (const ShellCommand& command : shell_commands()) {
    table.add({usage_of(command), std::string(command.about)});
  }
  settings_.print(table.text());
  return {};
}

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

Result<void> SessionShell::write(const std::string& file) {
  const bool text = file.ends_with(".ll");
  HONE_TRY(const Observation seen,
           session_.observe(text ? ObservationSpace::ir : ObservationSpace::bitcode));
  return write_file_atomically(file, std::get<std::string>(seen));
}

Result<EpisodeState> SessionShell::state() {
  EpisodeState reached;
  reached.benchmark = session_.program().uri;
  HONE_TRY(reached.reward, session_.episode_reward(settings_.reward));
  reached.walltime = session_.seconds();
  reached.commandline = opt_command(session_.pipelines());
  return reached;
}

Result<void> SessionShell::validate() {
  HONE_TRY(const EpisodeState reached, state());
  HONE_TRY(SessionClient client, settings_.start());
  StateValidator validator(std::move(client), *programs_, settings_.reward, settings_.stop);
  HONE_TRY(const ValidationResult result, validator.validate(reached));
  settings_.print(validation_line(result) + "\n");
  settings_.print(!result.benchmark_semantics_validated ? "the program was not run\n"
                  : result.benchmark_semantics_validation_failed
                      ? "the program does something else\n"
                      : "the program runs as before\n");
  return {};
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
