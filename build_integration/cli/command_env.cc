// hone env list | run PROGRAM: compile sessions on this machine.
#include "build_integration/cli/command_env.h"

#include <cstdio>
#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "build_integration/cli/command_context.h"
#include "build_integration/cli/exit_status.h"
#include "build_integration/cli/program_beside.h"
#include "build_integration/cli/text_table.h"
#include "common/base/file.h"
#include "common/pipelines/action_space.h"
#include "common/pipelines/compiler_gym.h"

namespace hone {

Result<SessionClient> start_sessions() {
  HONE_TRY(const std::filesystem::path program, program_beside_us("hone-session"));
  return SessionClient::start(program);
}

namespace {

constexpr int kLlvmMajor = 19;

// An action's name, CompilerGym's for one, or a pipeline as opt -passes= takes it. Empty: it does
// nothing; `remark` says so then.
Result<std::string> pipeline_of(const ActionSpace& space, const std::string& text,
                                std::string& remark) {
  if (const std::string* const pipeline = space.find_pipeline(text)) {
    return *pipeline;
  }
  if (!text.starts_with('-')) {
    return text;
  }
  HONE_TRY(CompilerGymPipeline found, compiler_gym_pipeline(text));
  remark = std::move(found.remark);
  return std::move(found.pipeline);
}

struct RunOptions {
  std::string program;
  std::vector<std::string> actions;
  std::vector<std::string> observe;
  std::vector<std::string> rewards;
  std::string write;  // bitcode goes there
};

std::string observation_text(const Observation& observation) {
  if (const auto* const number = std::get_if<std::int64_t>(&observation)) {
    return std::to_string(*number);
  }
  if (const auto* const text = std::get_if<std::string>(&observation)) {
    return *text;
  }
  return std::visit(
      [](const auto& values) -> std::string {
        if constexpr (requires { fmt::join(values, " "); }) {
          return fmt::format("{}", fmt::join(values, " "));
        }
        return "";
      },
      observation);
}

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

Result<SessionRequest> first_request(const RunOptions& options) {
  SessionRequest request;
  request.session = "run";
  request.command = SessionCommand::open;
  request.program = options.program;
  HONE_TRY(const ActionSpace space, ActionSpace::create(kLlvmMajor));
  for (const std::string& action : options.actions) {
    std::string remark;
    HONE_TRY(std::string pipeline, pipeline_of(space, action, remark));
    if (!remark.empty()) {
      fmt::print(stderr, "{}: {}\n", action, remark);
    }
    if (!pipeline.empty()) {
      request.pipelines.push_back(std::move(pipeline));
    }
  }
  HONE_TRY(request.observe, spaces_of(options.observe, parse_observation_space, "--observe",
                                      kObservationSpaceChoices));
  HONE_TRY(request.rewards,
           spaces_of(options.rewards, parse_reward_space, "--reward", kRewardSpaceChoices));
  if (!options.write.empty()) {
    request.observe.push_back(ObservationSpace::bitcode);
  }
  return request;
}

Result<int> run(const CommandContext& context, const RunOptions& options) {
  HONE_TRY(SessionRequest request, first_request(options));
  HONE_TRY(SessionClient client, start_sessions());
  HONE_TRY(SessionReply reply, client.ask(std::move(request)));
  if (!options.write.empty()) {
    const auto bitcode = reply.observations.find("Bitcode");
    if (bitcode != reply.observations.end()) {
      HONE_CHECK(write_file_atomically(options.write, std::get<std::string>(bitcode->second)));
      reply.observations.erase(bitcode);
    }
  }
  if (context.json) {
    print_json(to_json(reply));
  } else {
    for (const auto& [space, observation] : reply.observations) {
      print(fmt::format("{}: {}\n", space, observation_text(observation)));
    }
    for (const auto& [space, value] : reply.rewards) {
      print(fmt::format("reward {}: {:g}\n", space, value));
    }
  }
  if (reply.outcome != StepOutcome::ok) {
    fmt::print(stderr, "hone: {} {} behind {} others: {}\n", to_string(reply.outcome),
               reply.pipeline, reply.applied, printable(reply.reason));
    return kExitFailed;
  }
  return kExitOk;
}

Json to_json(const std::vector<Action>& actions) {
  Json list = Json::array();
  for (const Action& action : actions) {
    list.push_back({{"name", action.name},
                    {"pipeline", action.pipeline},
                    {"level", std::string(to_string(action.level))}});
  }
  return list;
}

// What an agent that chooses a pass first may put between its '<' and '>' then.
Json to_json(const PassEntry& pass) {
  Json options = Json::array();
  for (const PassOption& option : pass.options) {
    Json entry = {{"name", std::string(option.name)},
                  {"kind", std::string(to_string(option.kind))}};
    if (option.kind == OptionKind::number) {
      entry["low"] = option.low;
      entry["high"] = option.high;
    }
    options.push_back(std::move(entry));
  }
  return {{"name", std::string(pass.name)},
          {"level", std::string(to_string(pass.level))},
          {"parameters", std::vector<std::string>(pass.texts.begin(), pass.texts.end())},
          {"options", std::move(options)},
          {"required", std::string(pass.required_option)}};
}

Result<int> list(const CommandContext& context) {
  HONE_TRY(const ActionSpace space, ActionSpace::create(kLlvmMajor));
  if (context.json) {
    Json passes = Json::array();
    for (const PassEntry* const pass : space.passes()) {
      passes.push_back(to_json(*pass));
    }
    print_json({{"llvm_major", kLlvmMajor},
                {"actions", to_json(space.actions())},
                {"passes", std::move(passes)},
                {"whole_pipelines", to_json(space.whole_pipelines())}});
    return kExitOk;
  }
  TextTable table({{"action"}, {"pipeline", Align::left, 90}});
  for (const Action& action : space.actions()) {
    table.add({action.name, action.pipeline});
  }
  std::vector<std::string> whole;
  for (const Action& action : space.whole_pipelines()) {
    whole.push_back(action.name);
  }
  print(table.text() +
        fmt::format("\n{} actions of LLVM {}\nwhole pipelines: {}\nobservations: {}\nrewards: {}\n",
                    space.actions().size(), kLlvmMajor, fmt::join(whole, ", "),
                    kObservationSpaceChoices, kRewardSpaceChoices));
  return kExitOk;
}

}  // namespace

void add_env(CLI::App& app, CommandContext& context) {
  CLI::App* const env = app.add_subcommand(
      "env", "Compile sessions on this machine: passes one by one, seen and rewarded");
  env->require_subcommand(1);
  env->add_subcommand("list", "Actions, observations and rewards")->callback([&context] {
    context.action = [&context] { return list(context); };
  });

  CLI::App* const running = env->add_subcommand("run", "Apply actions to a program");
  const auto run_options = std::make_shared<RunOptions>();
  running->add_option("program", run_options->program, "Bitcode or IR text")->required();
  running
      ->add_option("--action", run_options->actions,
                   "By name, by CompilerGym's (-mem2reg), or a pipeline; repeatable, in order")
      ->allow_extra_args(false);
  running->add_option("--observe", run_options->observe, std::string(kObservationSpaceChoices))
      ->allow_extra_args(false);
  running->add_option("--reward", run_options->rewards, std::string(kRewardSpaceChoices))
      ->allow_extra_args(false);
  running->add_option("--write", run_options->write, "File for the bitcode it comes to");
  running->callback([&context, run_options] {
    context.action = [&context, run_options] { return run(context, *run_options); };
  });
  add_env_search(*env, context);
}

}  // namespace hone
