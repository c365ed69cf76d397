// hone env shell PROGRAM
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <random>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "build_integration/cli/command_context.h"
#include "build_integration/cli/command_env.h"
#include "build_integration/cli/env_programs.h"
#include "build_integration/cli/exit_status.h"
#include "build_integration/cli/line_editor.h"
#include "build_integration/cli/session_shell.h"
#include "build_integration/cli/terminal.h"
#include "common/json/document.h"

namespace hone {
namespace {

struct ShellOptions {
  std::string program;
  std::string reward = "IrInstructionCountOz";
  std::optional<std::uint64_t> seed;
  std::vector<std::string> datasets;
  LinkedSettings linked;
};

// Whether a line repeats the last actions, as in CompilerGym: somebody who leans on the return key.
bool is_action(std::string_view line) {
  return line.starts_with("action") || line.starts_with("step") || line.starts_with("random");
}

Result<int> shell(const CommandContext& context, const ShellOptions& options) {
  const std::optional<RewardSpace> reward = parse_reward_space(options.reward);
  if (!reward) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("--reward '{}' is not one of {}", options.reward, kRewardSpaceChoices));
  }
  HONE_TRY(ProgramLoader programs, env_programs(options.datasets, context.stop));
  SessionShellSettings settings;
  settings.start = start_sessions;
  settings.print = [](std::string_view text) { print(text); };
  settings.reward = *reward;
  settings.seed = options.seed ? *options.seed : std::random_device()();
  settings.linked = options.linked;
  settings.stop = context.stop;
  HONE_TRY(SessionShell shell,
           SessionShell::create(options.program, programs, std::move(settings)));
  std::optional<LineHistory> history;
  if (const Result<std::filesystem::path> file = history_file(); file) {
    history.emplace(*file);
  } else if (is_terminal(STDIN_FILENO)) {
    fmt::print(stderr, "hone: the history is not kept: {}\n", file.error().describe());
  }
  LineEditor editor([&shell](std::string_view text) { return shell.complete(text); }, context.stop,
                    std::move(history));
  if (editor.interactive()) {
    print("help lists the commands, tutorial shows some, Tab completes\n");
  }
  int status = kExitOk;
  std::string last;
  for (;;) {
    std::optional<std::string> line = editor.read(shell.prompt());
    if (context.stop.stop_requested()) {
      return kExitCancelled;
    }
    if (!line) {
      break;
    }
    if (line->empty() && editor.interactive()) {
      line = last;
    }
    last = is_action(*line) ? *line : "";
    const Result<bool> goes_on = shell.execute(*line);
    if (!goes_on) {
      fmt::print(stderr, "hone: {}\n", goes_on.error().describe());
      status = exit_code(goes_on.error().code);
      if (goes_on.error().code == ErrorCode::unavailable) {
        return status;
      }
    } else if (!*goes_on) {
      break;
    }
  }
  // Somebody at a terminal has seen what was wrong; a script has not.
  return editor.interactive() ? kExitOk : status;
}

}  // namespace

void add_env_shell(CLI::App& env, CommandContext& context) {
  CLI::App* const app = env.add_subcommand(
      "shell", "Step a program by hand, as in CompilerGym's manual_env; reads standard input");
  const auto options = std::make_shared<ShellOptions>();
  app->add_option("program", options->program, std::string(kProgramHelp))->required();
  app->add_option("--reward", options->reward,
                  "The default one at first: " + std::string(kRewardSpaceChoices))
      ->capture_default_str();
  app->add_option("--seed", options->seed, "Of random actions [another one each time]")
      ->check(CLI::Range(std::int64_t{0}, kMaxExactInteger));
  add_linked_options(*app, options->linked);
  add_dataset_option(*app, options->datasets);
  app->callback([&context, options] {
    context.action = [&context, options] { return shell(context, *options); };
  });
}

}  // namespace hone
