// hone env list [actions | datasets | programs DATASET]
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "build_integration/cli/command_context.h"
#include "build_integration/cli/command_env.h"
#include "build_integration/cli/env_programs.h"
#include "build_integration/cli/exit_status.h"
#include "build_integration/cli/session_action.h"
#include "build_integration/cli/text_table.h"
#include "common/pipelines/action_space.h"

namespace hone {
namespace {

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

Result<int> list_actions(const CommandContext& context) {
  HONE_TRY(const ActionSpace space, ActionSpace::create(kSessionLlvmMajor));
  if (context.json) {
    Json passes = Json::array();
    for (const PassEntry* const pass : space.passes()) {
      passes.push_back(to_json(*pass));
    }
    print_json({{"llvm_major", kSessionLlvmMajor},
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
                    space.actions().size(), kSessionLlvmMajor, fmt::join(whole, ", "),
                    kObservationSpaceChoices, kRewardSpaceChoices));
  return kExitOk;
}

struct ListOptions {
  std::vector<std::string> datasets;  // manifests
  std::string of;                     // programs: a data set
};

Result<int> list_datasets(const CommandContext& context, const ListOptions& options) {
  HONE_TRY(const ProgramLoader programs, env_programs(options.datasets, context.stop));
  if (context.json) {
    Json all = Json::array();
    for (const auto& [uri, text] : programs.datasets()) {
      all.push_back({{"uri", uri}, {"about", text}});
    }
    print_json({{"datasets", std::move(all)}});
    return kExitOk;
  }
  TextTable table({{"data set"}, {"its programs"}});
  for (const auto& [uri, text] : programs.datasets()) {
    table.add({uri, text});
  }
  print(table.text());
  return kExitOk;
}

Result<int> list_programs(const CommandContext& context, const ListOptions& options) {
  HONE_TRY(ProgramLoader programs, env_programs(options.datasets, context.stop));
  HONE_TRY(const std::vector<std::string> uris, programs.list(options.of));
  if (context.json) {
    print_json({{"programs", uris}});
    return kExitOk;
  }
  for (const std::string& uri : uris) {
    print(uri + "\n");
  }
  return kExitOk;
}

}  // namespace

void add_env_list(CLI::App& env, CommandContext& context) {
  CLI::App* const listing =
      env.add_subcommand("list", "Actions, observations and rewards; data sets");
  listing->require_subcommand(0, 1);
  const auto options = std::make_shared<ListOptions>();
  listing->add_subcommand("actions", "Actions, observations and rewards");
  // Runs behind that of a subcommand, whose action stays.
  listing->callback([&context] {
    if (!context.action) {
      context.action = [&context] { return list_actions(context); };
    }
  });
  CLI::App* const sets = listing->add_subcommand("datasets", "What programs there are");
  CLI::App* const members = listing->add_subcommand("programs", "The programs of a data set");
  members
      ->add_option("of", options->of,
                   "debian-v0/PACKAGE, compdb:///PATH/compile_commands.json, manifest:///PATH")
      ->required();
  for (CLI::App* const command : {sets, members}) {
    add_dataset_option(*command, options->datasets);
  }
  sets->callback([&context, options] {
    context.action = [&context, options] { return list_datasets(context, *options); };
  });
  members->callback([&context, options] {
    context.action = [&context, options] { return list_programs(context, *options); };
  });
}

}  // namespace hone
