// hone token create | list | revoke
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "build_integration/cli/api_calls.h"
#include "build_integration/cli/command_context.h"
#include "build_integration/cli/text_table.h"
#include "common/base/file.h"
#include "common/protocol/values.h"

namespace hone {
namespace {

struct CreateOptions {
  std::string name;
  std::string role = "submitter";
  std::string output;
};

Result<int> create(const CommandContext& context, const CreateOptions& options) {
  if (!parse_role(options.role)) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("\"{}\" is no role: want one of {}", options.role, kRoleChoices));
  }
  HONE_TRY(const Client client, context.client());
  Json body = Json::object();
  body["name"] = options.name;
  body["role"] = options.role;
  HONE_TRY(const Json answer, client.post("/v1/tokens", body));
  HONE_TRY(const std::string token, text_field_of(answer, "token"));
  if (!options.output.empty()) {
    HONE_CHECK(write_file_atomically(options.output, token + "\n", 0600));
    print(fmt::format("Token {} ({}) is in {} (mode 0600).\n", options.name, options.role,
                      options.output));
  } else if (context.json) {
    print_json(answer);
  } else {
    fmt::print(stderr, "Token {} ({}), shown this once:\n", options.name, options.role);
    print(token + "\n");
  }
  return 0;
}

Result<int> list(const CommandContext& context) {
  HONE_TRY(const Client client, context.client());
  HONE_TRY(const std::vector<Json> items, list_once(client, "/v1/tokens"));
  if (context.json) {
    print_json(Json(items));
    return 0;
  }
  TextTable table({{"id"}, {"name"}, {"role"}, {"created"}, {"last used"}});
  for (const Json& item : items) {
    const auto text = [&item](const char* key) {
      const auto found = item.find(key);
      return found != item.end() && found->is_string() ? found->get<std::string>() : std::string();
    };
    table.add({text("id"), text("name"), text("role"), text("created_at"), text("last_used_at")});
  }
  print(table.text());
  return 0;
}

Result<int> revoke(const CommandContext& context, const std::string& id) {
  HONE_TRY(const Client client, context.client());
  HONE_TRY(const Json answer, client.remove("/v1/tokens/" + percent_encode(id)));
  static_cast<void>(answer);
  print(fmt::format("Token {} is revoked.\n", id));
  return 0;
}

}  // namespace

void add_token(CLI::App& app, CommandContext& context) {
  CLI::App* const token = app.add_subcommand("token", "Make, list and revoke access tokens");
  token->require_subcommand(1);

  CLI::App* const creating = token->add_subcommand("create", "Make a token");
  const auto options = std::make_shared<CreateOptions>();
  creating->add_option("name", options->name, "Whose it is")->required();
  creating->add_option("--role", options->role, fmt::format("One of {}", kRoleChoices))
      ->capture_default_str();
  creating->add_option("--output", options->output, "Write it to this file, mode 0600");
  creating->callback([&context, options] {
    context.action = [&context, options] { return create(context, *options); };
  });

  token->add_subcommand("list", "List the tokens in use, without their secrets")
      ->callback([&context] { context.action = [&context] { return list(context); }; });

  CLI::App* const revoking = token->add_subcommand("revoke", "Refuse a token from now on");
  const auto id = std::make_shared<std::string>();
  revoking->add_option("id", *id, "Its id, as `hone token list` shows it")->required();
  revoking->callback(
      [&context, id] { context.action = [&context, id] { return revoke(context, *id); }; });
}

}  // namespace hone
