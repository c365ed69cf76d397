// hone env list | run PROGRAM: compile sessions on this machine.
#include "build_integration/cli/command_env.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "build_integration/cli/command_context.h"
#include "build_integration/cli/env_programs.h"
#include "build_integration/cli/exit_status.h"
#include "build_integration/cli/observation_text.h"
#include "build_integration/cli/session_action.h"
#include "build_integration/cli/session_bitcode.h"
#include "build_integration/cli/state_file.h"
#include "common/base/file.h"
#include "common/base/printable.h"
#include "common/base/program_beside.h"
#include "common/pipelines/action_space.h"
#include "common/sessions/opt_command.h"

namespace hone {

Result<SessionClient> start_sessions() {
  HONE_TRY(const std::filesystem::path program, program_beside_us("hone-session"));
  return SessionClient::start(program);
}

void add_dataset_option(CLI::App& command, std::vector<std::string>& files) {
  command
      .add_option("--dataset", files,
                  "Manifest of a data set of one's own (YAML or JSON); repeatable")
      ->allow_extra_args(false);
}

void add_linked_options(CLI::App& command, LinkedSettings& settings) {
  constexpr std::size_t kMostSamples = 10'000;
  command
      .add_option("--runtime-count", settings.runtimes,
                  "Samples of Runtime, which as a reward is their median")
      ->check(CLI::Range(std::size_t{1}, kMostSamples))
      ->capture_default_str();
  command.add_option("--warmup-count", settings.warmups, "Runs before them that do not count")
      ->check(CLI::Range(std::size_t{0}, kMostSamples))
      ->capture_default_str();
  command.add_option("--buildtime-count", settings.buildtimes, "Samples of Buildtime")
      ->check(CLI::Range(std::size_t{1}, kMostSamples))
      ->capture_default_str();
}

namespace {

struct RunOptions {
  std::string program;
  std::vector<std::string> actions;
  std::vector<std::string> observe;
  std::vector<std::string> rewards;
  std::string write;        // bitcode goes there
  std::string write_state;  // a row of CSV is added there
  std::vector<std::string> datasets;
  LinkedSettings linked;
};

// What the session is asked for, and what is made of its bitcode here.
struct RunSpaces {
  std::vector<ObservationSpace> observe;
  std::vector<RewardSpace> rewards;

  bool any() const { return !observe.empty() || !rewards.empty(); }
};

template <class Space>
Result<std::vector<Space>> spaces_of(const std::vector<std::string>& texts,
                                     std::optional<Space> (*parse)(std::string_view),
                                     std::string_view option, std::string_view choices) {
  std::vector<Space> spaces;
  for (const std::string& text : texts) {
    const std::optional<Space> space = parse(text);
    if (!space) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("{} '{}' is not one of {}", option, text, choices));
    }
    spaces.push_back(*space);
  }
  return spaces;
}

// Takes out what needs the program linked.
RunSpaces take_linked(SessionRequest& request) {
  RunSpaces linked;
  std::erase_if(request.observe, [&linked](ObservationSpace space) {
    if (is_linked(space)) {
      linked.observe.push_back(space);
    }
    return is_linked(space);
  });
  std::erase_if(request.rewards, [&linked](RewardSpace space) {
    const bool here = is_linked(observation_of(space.cost));
    if (here) {
      linked.rewards.push_back(space);
    }
    return here;
  });
  return linked;
}

// Adds them to the reply.
Result<void> see_linked(SessionClient& client, const Program& program, const RunSpaces& spaces,
                        const CommandContext& context, const RunOptions& options,
                        SessionReply& reply) {
  HONE_TRY(const std::string bitcode, bitcode_of(reply));
  const auto optimise = [&client, &program](const std::string& pipeline) {
    return session_bitcode(client, program.file, pipeline);
  };
  LinkedProgram linked(program, options.linked, optimise, context.stop);
  for (const ObservationSpace space : spaces.observe) {
    HONE_TRY(reply.observations[std::string(to_string(space))], linked.observe(space, bitcode));
  }
  for (const RewardSpace& space : spaces.rewards) {
    HONE_TRY(reply.rewards[to_string(space)], linked.episode_reward(space, bitcode));
  }
  return {};
}

Result<SessionRequest> first_request(const RunOptions& options, const Program& program) {
  SessionRequest request;
  request.session = "run";
  request.command = SessionCommand::open;
  request.program = program.file.string();
  HONE_TRY(const ActionSpace space, ActionSpace::create(kSessionLlvmMajor));
  for (const std::string& action : options.actions) {
    HONE_TRY(SessionAction known, session_action(space, action));
    if (!known.remark.empty()) {
      fmt::print(stderr, "{}: {}\n", action, known.remark);
    }
    if (!known.pipeline.empty()) {
      request.pipelines.push_back(std::move(known.pipeline));
    }
  }
  HONE_TRY(request.observe, spaces_of(options.observe, parse_observation_space, "--observe",
                                      kObservationSpaceChoices));
  HONE_TRY(request.rewards,
           spaces_of(options.rewards, parse_reward_space, "--reward", kRewardSpaceChoices));
  return request;
}

// The reward of the first space that was asked for, or none.
EpisodeState state_of(const Program& program, const SessionReply& reply,
                      const std::vector<std::string>& pipelines, const RunOptions& options,
                      double seconds) {
  EpisodeState state;
  state.benchmark = program.uri;
  if (!options.rewards.empty()) {
    state.reward = reply.rewards.at(options.rewards.front());
  }
  state.walltime = seconds;
  state.commandline = opt_command(pipelines);
  return state;
}

void print_reply(const CommandContext& context, const SessionReply& reply) {
  if (context.json) {
    print_json(to_json(reply));
    return;
  }
  for (const auto& [space, observation] : reply.observations) {
    print(fmt::format("{}: {}\n", space, observation_text(observation)));
  }
  for (const auto& [space, value] : reply.rewards) {
    print(fmt::format("reward {}: {:g}\n", space, value));
  }
}

Result<int> run(const CommandContext& context, const RunOptions& options) {
  HONE_TRY(ProgramLoader programs, env_programs(options.datasets, context.stop));
  HONE_TRY(const Program program, programs.load(options.program));
  HONE_TRY(SessionRequest request, first_request(options, program));
  const RunSpaces linked = take_linked(request);
  const bool shown =
      std::ranges::find(request.observe, ObservationSpace::bitcode) != request.observe.end();
  if (!shown && (linked.any() || !options.write.empty())) {
    request.observe.push_back(ObservationSpace::bitcode);
  }
  HONE_TRY(SessionClient client, start_sessions());
  const auto begin = std::chrono::steady_clock::now();
  HONE_TRY(SessionReply reply, client.ask(request));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  if (linked.any() && reply.outcome == StepOutcome::ok) {
    const Result<void> seen = see_linked(client, program, linked, context, options, reply);
    // The passes broke it: an outcome, as a crash of one is.
    if (!seen && seen.error().code == ErrorCode::conflict) {
      fmt::print(stderr, "hone: {}\n", printable(seen.error().describe()));
      return kExitFailed;
    }
    HONE_CHECK(seen);
  }
  const auto bitcode = reply.observations.find("Bitcode");
  if (!options.write.empty() && bitcode != reply.observations.end()) {
    HONE_CHECK(write_file_atomically(options.write, std::get<std::string>(bitcode->second)));
  }
  if (bitcode != reply.observations.end() && (!shown || !options.write.empty())) {
    reply.observations.erase(bitcode);
  }
  print_reply(context, reply);
  if (reply.outcome != StepOutcome::ok) {
    fmt::print(stderr, "hone: {} {} behind {} others: {}\n", to_string(reply.outcome),
               reply.pipeline, reply.applied, printable(reply.reason));
    return kExitFailed;
  }
  if (!options.write_state.empty()) {
    HONE_CHECK(append_state(options.write_state,
                            state_of(program, reply, request.pipelines, options, took.count())));
  }
  return kExitOk;
}

}  // namespace

void add_env(CLI::App& app, CommandContext& context) {
  CLI::App* const env = app.add_subcommand(
      "env", "Compile sessions on this machine: passes one by one, seen and rewarded");
  env->require_subcommand(1);
  add_env_list(*env, context);
  add_env_log(*env, context);

  CLI::App* const running = env->add_subcommand("run", "Apply actions to a program");
  const auto run_options = std::make_shared<RunOptions>();
  running->add_option("program", run_options->program, std::string(kProgramHelp))->required();
  running
      ->add_option("--action", run_options->actions,
                   "By name, by CompilerGym's (-mem2reg), or a pipeline; repeatable, in order")
      ->allow_extra_args(false);
  running->add_option("--observe", run_options->observe, std::string(kObservationSpaceChoices))
      ->allow_extra_args(false);
  running->add_option("--reward", run_options->rewards, std::string(kRewardSpaceChoices))
      ->allow_extra_args(false);
  running->add_option("--write", run_options->write, "File for the bitcode it comes to");
  running->add_option(
      "--write-state", run_options->write_state,
      "CSV file that the state is added to as CompilerGym writes it, with the first "
      "--reward");
  add_linked_options(*running, run_options->linked);
  add_dataset_option(*running, run_options->datasets);
  running->callback([&context, run_options] {
    context.action = [&context, run_options] { return run(context, *run_options); };
  });
  add_env_search(*env, context);
  add_env_shell(*env, context);
  add_env_validate(*env, context);
}

}  // namespace hone
