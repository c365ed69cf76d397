// hone audit
#include <cstdint>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "build_integration/cli/api_calls.h"
#include "build_integration/cli/command_context.h"
#include "build_integration/cli/text_table.h"
#include "common/policy/timestamp.h"

namespace hone {
namespace {

struct AuditOptions {
  std::string token;
  std::string target;
  std::string kind;
  std::string object;
  std::string action;
  std::string from;
  std::string to;
  std::size_t limit = 200;
};

Result<std::string> moment(const std::string& text) {
  const std::optional<std::int64_t> seconds = parse_timestamp(text);
  if (!seconds) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("\"{}\" is no time: write it like 2026-11-29T09:00:00Z", text));
  }
  return std::to_string(*seconds * 1000);
}

std::string cell(const Json& row, const char* key) {
  const auto found = row.find(key);
  if (found == row.end() || found->is_null()) {
    return {};
  }
  return found->is_string() ? found->get<std::string>() : found->dump();
}

Result<int> audit(const CommandContext& context, const AuditOptions& options) {
  std::string path = "/v1/audit";
  char mark = '?';
  const auto ask = [&](const char* name, const std::string& value) {
    if (!value.empty()) {
      path += fmt::format("{}{}={}", mark, name, percent_encode(value));
      mark = '&';
    }
  };
  ask("token", options.token);
  ask("target", options.target);
  ask("kind", options.kind);
  ask("object", options.object);
  ask("action", options.action);
  for (const auto& [name, text] :
       {std::pair<const char*, const std::string&>{"from", options.from}, {"to", options.to}}) {
    if (!text.empty()) {
      HONE_TRY(const std::string milliseconds, moment(text));
      ask(name, milliseconds);
    }
  }
  HONE_TRY(const Client client, context.client());
  HONE_TRY(const std::vector<Json> rows, list_pages(client, path, options.limit));
  if (context.json) {
    for (const Json& row : rows) {
      print(row.dump() + "\n");
    }
    return 0;
  }
  TextTable table({{"at"}, {"token"}, {"action"}, {"target"}, {"object"}, {"before"}, {"after"}});
  for (const Json& row : rows) {
    table.add({cell(row, "at"), cell(row, "token_name"), cell(row, "action"), cell(row, "target"),
               cell(row, "object"), cell(row, "before"), cell(row, "after")});
  }
  print(table.text());
  return 0;
}

}  // namespace

void add_audit(CLI::App& app, CommandContext& context) {
  CLI::App* const command =
      app.add_subcommand("audit", "Who changed what, newest first; --json gives one line a change");
  const auto options = std::make_shared<AuditOptions>();
  command->add_option("--token", options->token, "Only by this token: its id or name");
  command->add_option("--target", options->target, "Only of this target");
  command->add_option("--kind", options->kind, "Only of this kind: job, campaign, token, ...");
  command->add_option("--object", options->object, "Only of this id or name");
  command->add_option("--action", options->action, "Only this one, like policy.promote");
  command->add_option("--from", options->from, "Not before, like 2026-11-29T09:00:00Z");
  command->add_option("--to", options->to, "Not after");
  command->add_option("--limit", options->limit, "At most so many")->capture_default_str();
  command->callback([&context, options] {
    context.action = [&context, options] { return audit(context, *options); };
  });
}

}  // namespace hone
