// hone target add | show | list
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "build_integration/cli/api_calls.h"
#include "build_integration/cli/command_context.h"
#include "build_integration/cli/register_target.h"
#include "build_integration/cli/text_table.h"

namespace hone {
namespace {

Result<int> add(const CommandContext& context, const TargetOptions& options) {
  HONE_TRY(const Client client, context.client());
  HONE_TRY(const TargetSpec spec, register_target(client, options, context.stop));
  if (context.json) {
    print_json(to_json(spec));
  } else {
    print(fmt::format("Target {} is registered.\n", spec.name));
  }
  return 0;
}

Result<int> show(const CommandContext& context, const std::string& name) {
  HONE_TRY(const Client client, context.client());
  HONE_TRY(const Json answer, client.get("/v1/targets/" + percent_encode(name)));
  print_json(answer);
  return 0;
}

Result<int> list(const CommandContext& context) {
  HONE_TRY(const Client client, context.client());
  HONE_TRY(const std::vector<Json> items, list_pages(client, "/v1/targets"));
  if (context.json) {
    print_json(Json(items));
    return 0;
  }
  TextTable table({{"name"}, {"version", Align::right}, {"updated"}});
  for (const Json& item : items) {
    HONE_TRY(const std::string name, text_field_of(item, "name"));
    table.add({name, item.value("version", Json()).dump(), item.value("updated_at", "")});
  }
  print(table.text());
  return 0;
}

}  // namespace

void add_target(CLI::App& app, CommandContext& context) {
  CLI::App* const target = app.add_subcommand("target", "Register products and look at them");
  target->require_subcommand(1);

  CLI::App* const adding = target->add_subcommand(
      "add", "Register a product from its hone.yaml; the registered one governs from then on");
  const auto options = std::make_shared<TargetOptions>();
  add_target_options(*adding, *options);
  adding->callback([&context, options] {
    context.action = [&context, options] { return add(context, *options); };
  });

  CLI::App* const showing = target->add_subcommand("show", "Print a target as JSON");
  const auto name = std::make_shared<std::string>();
  showing->add_option("target", *name, "Name of the target")->required();
  showing->callback(
      [&context, name] { context.action = [&context, name] { return show(context, *name); }; });

  target->add_subcommand("list", "List the targets")->callback([&context] {
    context.action = [&context] { return list(context); };
  });
}

}  // namespace hone
