// hone canary, hone service
#include <chrono>
#include <memory>
#include <thread>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "build_integration/cli/api_calls.h"
#include "build_integration/cli/canary_report.h"
#include "build_integration/cli/command_context.h"
#include "build_integration/cli/exit_status.h"
#include "build_integration/cli/text_table.h"
#include "common/base/file.h"
#include "common/client/retry_pause.h"
#include "common/protocol/canary.h"
#include "common/yaml/yaml_document.h"

namespace hone {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{500};
constexpr int kMostFailedLooks = 60;

struct CanaryOptions {
  std::string target;
  std::string file;
  std::string id;
  std::string reason;
  std::int64_t version = 0;
  bool by_hand = false;
};

// YAML or JSON; errors name the file and the line.
Result<YamlDocument> read_document(const std::string& file) {
  HONE_TRY(const std::string text, read_file(file, kMaxYamlBytes));
  Result<YamlDocument> document = parse_yaml(text);
  if (!document) {
    return document.error().within(file);
  }
  return document;
}

Result<int> set_service(const CommandContext& context, const CanaryOptions& options) {
  HONE_TRY(const YamlDocument document, read_document(options.file));
  const Result<ServiceSpec> spec = parse_service_spec(document.value, UnknownKeys::refuse);
  if (!spec) {
    return with_lines(spec.error(), document).within(options.file);
  }
  HONE_TRY(const Client client, context.client());
  HONE_TRY(
      const Json answer,
      client.put("/v1/targets/" + percent_encode(options.target) + "/service", to_json(*spec)));
  print(context.json ? answer.dump() + "\n"
                     : fmt::format("the service of {} is described\n", options.target));
  return kExitOk;
}

Result<int> show_service(const CommandContext& context, const CanaryOptions& options) {
  HONE_TRY(const Client client, context.client());
  HONE_TRY(const Json answer,
           client.get("/v1/targets/" + percent_encode(options.target) + "/service"));
  print_json(answer);
  return kExitOk;
}

Result<int> list_services(const CommandContext& context, const CanaryOptions& /*options*/) {
  HONE_TRY(const Client client, context.client());
  HONE_TRY(const std::vector<Json> services, list_pages(client, "/v1/services", 200));
  TextTable table({{"target"}, {"policy in force"}, {"error budget"}, {"told at"}, {"canary"}});
  for (const Json& service : services) {
    if (context.json) {
      print(service.dump() + "\n");
      continue;
    }
    HONE_TRY(const std::string target, text_field_of(service, "target"));
    const auto text = [&](const char* key) {
      const Json value = service.value(key, Json());
      return value.is_string() ? value.get<std::string>() : value.is_null() ? "" : value.dump();
    };
    table.add(
        {target, text("policy_in_force"), budget_text(service), text("budget_at"), text("canary")});
  }
  if (!context.json) {
    print(table.text());
  }
  return kExitOk;
}

void show(const CommandContext& context, const Json& canary) {
  print(context.json ? canary.dump() + "\n" : canary_text(canary));
}

Result<int> start(const CommandContext& context, const CanaryOptions& options) {
  Json request = Json::object();
  if (!options.file.empty()) {
    HONE_TRY(const YamlDocument document, read_document(options.file));
    request = document.value;
  }
  request["target"] = options.target;
  request["policy_version"] = options.version;
  if (options.by_hand) {
    request["ramp"]["approval"] = "by_hand";
  }
  const Result<CanarySpec> spec = parse_canary_spec(request, UnknownKeys::refuse);
  if (!spec) {
    return options.file.empty() ? spec.error() : spec.error().within(options.file);
  }
  HONE_TRY(const Client client, context.client());
  HONE_TRY(const Json canary, client.post("/v1/canaries", to_json(*spec)));
  show(context, canary);
  return kExitOk;
}

Result<int> list(const CommandContext& context, const CanaryOptions& options) {
  HONE_TRY(const Client client, context.client());
  const std::string path = options.target.empty()
                               ? "/v1/canaries"
                               : "/v1/canaries?target=" + percent_encode(options.target);
  HONE_TRY(const std::vector<Json> canaries, list_pages(client, path, 200));
  TextTable table({{"id"}, {"target"}, {"policy"}, {"state"}, {"share"}, {"why"}});
  for (const Json& canary : canaries) {
    if (context.json) {
      print(canary.dump() + "\n");
      continue;
    }
    HONE_TRY(const std::string id, text_field_of(canary, "id"));
    HONE_TRY(const std::string target, text_field_of(canary, "target"));
    HONE_TRY(const Json status, field_of(canary, "status"));
    table.add({id, target, canary.value("policy_version", Json()).dump(), status.value("state", ""),
               fmt::format("{} %", status.value("share", 0)), status.value("reason", "")});
  }
  if (!context.json) {
    print(table.text());
  }
  return kExitOk;
}

std::string path_of(const CanaryOptions& options, std::string_view rest = "") {
  return "/v1/canaries/" + percent_encode(options.id) + std::string(rest);
}

Result<int> status(const CommandContext& context, const CanaryOptions& options) {
  HONE_TRY(const Client client, context.client());
  HONE_TRY(const Json canary, client.get(path_of(options)));
  show(context, canary);
  return kExitOk;
}

Result<int> report(const CommandContext& context, const CanaryOptions& options) {
  HONE_TRY(const Client client, context.client());
  HONE_TRY(const Json canary, client.get(path_of(options, "?windows=1")));
  print(context.json ? canary.dump() + "\n" : canary_markdown(canary));
  return kExitOk;
}

Result<int> approve(const CommandContext& context, const CanaryOptions& options) {
  HONE_TRY(const Client client, context.client());
  HONE_TRY(const Json canary, client.post(path_of(options, "/approve"), Json::object()));
  show(context, canary);
  return kExitOk;
}

Result<int> abort(const CommandContext& context, const CanaryOptions& options) {
  HONE_TRY(const Client client, context.client());
  HONE_TRY(const Json canary,
           client.post(path_of(options, "/abort"), Json{{"reason", options.reason}}));
  show(context, canary);
  return kExitOk;
}

// 0 promoted, 10 rolled back, 130 aborted.
int exit_of(CanaryState state) {
  switch (state) {
    case CanaryState::promoted:
      return kExitOk;
    case CanaryState::aborted:
      return kExitCancelled;
    default:
      return kExitNoGain;
  }
}

Result<int> wait(const CommandContext& context, const CanaryOptions& options) {
  HONE_TRY(const Client client, context.client());
  for (int failed = 0;;) {
    const Result<Json> canary = client.get(path_of(options));
    if (!canary) {
      if (!may_pass(canary.error()) || ++failed > kMostFailedLooks) {
        return canary.error();
      }
    } else {
      failed = 0;
      HONE_TRY(const Json known, field_of(*canary, "status"));
      const std::optional<CanaryState> state = parse_canary_state(known.value("state", ""));
      if (state && has_ended(*state)) {
        show(context, *canary);
        return exit_of(*state);
      }
    }
    std::this_thread::sleep_for(kBetweenLooks);
  }
}

using Run = Result<int> (*)(const CommandContext& context, const CanaryOptions& options);

CLI::App* add_one(CLI::App& group, CommandContext& context,
                  const std::shared_ptr<CanaryOptions>& options, const std::string& name,
                  const std::string& help, Run run) {
  CLI::App* const command = group.add_subcommand(name, help);
  command->callback([&context, options, run] {
    context.action = [&context, options, run] { return run(context, *options); };
  });
  return command;
}

}  // namespace

void add_service(CLI::App& app, CommandContext& context) {
  CLI::App* const group = app.add_subcommand("service", "The services that canaries are tried on");
  group->require_subcommand(1);
  const auto options = std::make_shared<CanaryOptions>();
  CLI::App* const set = add_one(*group, context, options, "set",
                                "Describes the service of a target (admins)", set_service);
  set->add_option("target", options->target, "Name of the target")->required();
  set->add_option("file", options->file, "YAML or JSON: prometheus, metrics, objective, traffic")
      ->required();
  add_one(*group, context, options, "list", "All, with what is left of their error budgets",
          list_services);
  CLI::App* const shown =
      add_one(*group, context, options, "show", "Shows it as JSON", show_service);
  shown->add_option("target", options->target, "Name of the target")->required();
}

void add_canary(CLI::App& app, CommandContext& context) {
  CLI::App* const group =
      app.add_subcommand("canary", "Policies on a share of real traffic, within an error budget");
  group->require_subcommand(1);
  const auto options = std::make_shared<CanaryOptions>();
  CLI::App* const started = add_one(*group, context, options, "start",
                                    "Ramps a policy up, as far as it does no harm", start);
  started->add_option("target", options->target, "Name of the target")->required();
  started->add_option("--policy", options->version, "Version that the canary was built with")
      ->required()
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000}));
  started->add_option("--spec", options->file, "YAML or JSON with ramp and rules");
  started->add_flag("--approve-by-hand", options->by_hand, "Wait for `hone canary approve`");
  CLI::App* const listed = add_one(*group, context, options, "list", "Newest first", list);
  listed->add_option("target", options->target, "Only of this target");
  const auto of_one = [&](const char* name, const char* help, Run run) {
    CLI::App* const command = add_one(*group, context, options, name, help, run);
    command->add_option("id", options->id, "Id of the canary")->required();
    return command;
  };
  of_one("status", "Where it is, what is known, and what is left of the error budget", status);
  of_one("wait", "Waits for its end: 0 promoted, 10 rolled back, 130 aborted", wait);
  of_one("report", "Its whole trail as Markdown", report);
  of_one("approve", "Promotes one that was judged", approve);
  of_one("abort", "Ends it: it serves nothing from now on", abort)
      ->add_option("--reason", options->reason, "Why, for its trail")
      ->required();
}

}  // namespace hone
