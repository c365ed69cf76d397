#include "build_integration/cli/session_shell.h"

#include <fmt/format.h>

#include "build_integration/cli/session_action.h"
#include "build_integration/cli/shell_completion.h"
#include "build_integration/cli/shell_word.h"
#include "build_integration/cli/state_file.h"
#include "common/base/text.h"
#include "common/base/words.h"
#include "common/sessions/opt_command.h"

namespace hone {
namespace {

constexpr std::size_t kDefaultTrials = 20;  // that try_all_actions shows
constexpr std::size_t kDefaultSteps = 10;   // of the searches
constexpr std::size_t kMaxCopyName = 64;

Result<void> check_count(const ShellCommand& command, const std::vector<std::string>& words) {
  if (words.size() < command.least || words.size() > command.most) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} takes {}: {}", command.name,
                            command.most == 0              ? "nothing"
                            : words.size() < command.least ? "at least one word"
                                                           : "one word",
                            shell_usage(command)));
  }
  return {};
}

}  // namespace

Result<SessionShell> SessionShell::create(const std::string& program, ProgramLoader& programs,
                                          SessionShellSettings settings) {
  HONE_TRY(ActionSpace space, ActionSpace::create(kSessionLlvmMajor));
  HONE_TRY(Program loaded, programs.load(program));
  HONE_TRY(SessionClient client, settings.start());
  ShellSession session(std::move(client), settings.linked, settings.stop);
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
      settings_.print(shell_tutorial());
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

}  // namespace hone
