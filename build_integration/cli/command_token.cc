// hone token create | list | show | grant | revoke-grant | rotate | revoke
#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "build_integration/cli/api_calls.h"
#include "build_integration/cli/budget.h"
#include "build_integration/cli/choices.h"
#include "build_integration/cli/command_context.h"
#include "build_integration/cli/text_table.h"
#include "common/base/new_file.h"
#include "common/base/text.h"
#include "common/protocol/access.h"

namespace hone {
namespace {

constexpr std::int64_t kDay = 86'400;

std::string text_of(const Json& item, const char* key) {
  const auto found = item.find(key);
  return found != item.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// "90d" or what other times are written like ("12h", "30m").
Result<std::int64_t> parse_span(const std::string& text) {
  if (text.ends_with('d')) {
    const std::string days = text.substr(0, text.size() - 1);
    if (!days.empty() && days.size() <= 5 &&
        days.find_first_not_of("0123456789") == std::string::npos) {
      return std::stoll(days) * kDay;
    }
  } else if (const Result<std::chrono::seconds> time = parse_duration(text)) {
    return time->count();
  }
  return fail(ErrorCode::invalid_argument,
              fmt::format("\"{}\" is no time: write it like 90d, 12h or 30m", text));
}

Json grant_json(const GrantText& grant) {
  Json document{{"target", grant.target}};
  if (!grant.rights.empty()) {
    document["rights"] = grant.rights;
  }
  return document;
}

// "all" or "lz4 (read, submit); zstd (read)".
std::string grants_text(const Json& token) {
  const auto grants = token.find("grants");
  if (grants == token.end() || !grants->is_array()) {
    return "all";
  }
  std::string text;
  for (const Json& grant : *grants) {
    std::vector<std::string> rights;
    for (const Json& right : grant.value("rights", Json::array())) {
      rights.push_back(right.is_string() ? right.get<std::string>() : "");
    }
    text += fmt::format("{}{} ({})", text.empty() ? "" : "; ", text_of(grant, "target"),
                        join(rights, ", "));
  }
  return text.empty() ? "none" : text;
}

// The id of a token that is named by it or by its name.
Result<std::string> find_id(const Client& client, const std::string& id_or_name) {
  HONE_TRY(const std::vector<Json> items, list_once(client, "/v1/tokens"));
  for (const Json& item : items) {
    if (text_of(item, "id") == id_or_name || text_of(item, "name") == id_or_name) {
      return text_of(item, "id");
    }
  }
  return fail(ErrorCode::not_found, fmt::format("no token \"{}\" is in use", id_or_name));
}

// The file for a secret, made before that is asked for; nothing without --output.
Result<std::optional<NewFile>> output_file(const std::string& output) {
  if (output.empty()) {
    return std::optional<NewFile>();
  }
  HONE_TRY(NewFile file, NewFile::create(output, 0600));
  return std::optional<NewFile>(std::move(file));
}

// To the file, mode 0600, or once to the terminal.
Result<int> hand_over(const CommandContext& context, const Json& answer, const std::string& output,
                      std::optional<NewFile> file) {
  HONE_TRY(const std::string token, text_field_of(answer, "token"));
  const std::string who = fmt::format("{} ({})", text_of(answer, "name"), text_of(answer, "role"));
  if (file) {
    if (const Result<void> written = file->write(token + "\n"); !written) {
      return written.error().within(
          fmt::format("token {} was made, and its secret is lost: `hone token rotate` gives it "
                      "another one, `hone token revoke` ends it",
                      who));
    }
    print(fmt::format("Token {} is in {} (mode 0600).\n", who, output));
  } else if (context.json) {
    print_json(answer);
  } else {
    fmt::print(stderr, "Token {}, shown this once:\n", who);
    print(token + "\n");
  }
  return 0;
}

void show_token(const CommandContext& context, const Json& token) {
  if (context.json) {
    print_json(token);
    return;
  }
  TextTable table({{"token"}, {"", Align::left, 200}});
  table.add({"id", text_of(token, "id")});
  table.add({"name", text_of(token, "name")});
  table.add({"role", text_of(token, "role")});
  table.add({"targets", grants_text(token)});
  for (const char* key :
       {"created_at", "last_used_at", "expires_at", "rotated_at", "old_secret_until"}) {
    if (const std::string text = text_of(token, key); !text.empty()) {
      table.add({key, text});
    }
  }
  print(table.text());
}

struct CreateOptions {
  std::string name;
  std::string role = "submitter";
  std::vector<std::string> targets;
  std::string expires;
  std::string output;
};

Result<int> create(const CommandContext& context, const CreateOptions& options) {
  if (!parse_role(options.role)) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("\"{}\" is no role: want one of {}", options.role, kRoleChoices));
  }
  Json body = Json::object();
  body["name"] = options.name;
  body["role"] = options.role;
  for (const std::string& target : options.targets) {
    body["grants"].push_back(grant_json(split_grant(target)));
  }
  if (!options.expires.empty()) {
    HONE_TRY(body["expires_in_seconds"], parse_span(options.expires));
  }
  HONE_TRY(const Client client, context.client());
  HONE_TRY(std::optional<NewFile> file, output_file(options.output));
  HONE_TRY(const Json answer, client.post("/v1/tokens", body));
  return hand_over(context, answer, options.output, std::move(file));
}

Result<int> list(const CommandContext& context) {
  HONE_TRY(const Client client, context.client());
  HONE_TRY(const std::vector<Json> items, list_once(client, "/v1/tokens"));
  if (context.json) {
    print_json(Json(items));
    return 0;
  }
  TextTable table(
      {{"id"}, {"name"}, {"role"}, {"targets"}, {"expires"}, {"created"}, {"last used"}});
  for (const Json& item : items) {
    const bool expired = item.value("expired", false);
    table.add({text_of(item, "id"), text_of(item, "name"), text_of(item, "role"), grants_text(item),
               expired ? "expired" : text_of(item, "expires_at"), text_of(item, "created_at"),
               text_of(item, "last_used_at")});
  }
  print(table.text());
  return 0;
}

Result<int> show(const CommandContext& context, const std::string& token) {
  HONE_TRY(const Client client, context.client());
  HONE_TRY(const std::string id, find_id(client, token));
  HONE_TRY(const Json answer, client.get("/v1/tokens/" + percent_encode(id)));
  show_token(context, answer);
  return 0;
}

// What the token has of a target now; nothing without a grant of it.
std::vector<std::string> rights_on(const Json& token, const std::string& target) {
  std::vector<std::string> rights;
  const auto grants = token.find("grants");
  if (grants == token.end() || !grants->is_array()) {
    return rights;
  }
  for (const Json& grant : *grants) {
    if (text_of(grant, "target") == target) {
      for (const Json& right : grant.value("rights", Json::array())) {
        rights.push_back(right.is_string() ? right.get<std::string>() : "");
      }
    }
  }
  return rights;
}

Result<Json> put_rights(const Client& client, const std::string& id, const std::string& target,
                        const std::vector<std::string>& rights) {
  Json body = Json::object();
  if (!rights.empty()) {
    body["rights"] = rights;
  }
  return client.put(
      fmt::format("/v1/tokens/{}/grants/{}", percent_encode(id), percent_encode(target)), body);
}

void show_change(const CommandContext& context, const Json& token, const std::string& target,
                 const std::vector<std::string>& before) {
  if (!context.json) {
    fmt::print(stderr, "Token {} on target {}: {} (before: {})\n", text_of(token, "name"), target,
               join(rights_on(token, target), ", "),
               before.empty() ? "nothing" : join(before, ", "));
  }
  show_token(context, token);
}

// Adds to what the token has there; without rights, the usual ones of its role.
Result<int> grant(const CommandContext& context, const std::string& token,
                  const std::string& target) {
  const GrantText wanted = split_grant(target);
  HONE_TRY(const Client client, context.client());
  HONE_TRY(const std::string id, find_id(client, token));
  HONE_TRY(const Json known, client.get("/v1/tokens/" + percent_encode(id)));
  const std::vector<std::string> before = rights_on(known, wanted.target);
  std::vector<std::string> rights = wanted.rights;
  if (rights.empty()) {
    const std::optional<Role> role = parse_role(text_of(known, "role"));
    rights = spellings(role ? usual_rights(*role) : TargetRights{TargetRight::read});
  }
  for (const std::string& right : before) {
    if (std::find(rights.begin(), rights.end(), right) == rights.end()) {
      rights.push_back(right);
    }
  }
  HONE_TRY(const Json answer, put_rights(client, id, wanted.target, rights));
  show_change(context, answer, wanted.target, before);
  return 0;
}

// Takes the named rights back; without any, or with `read`, which the others need, the whole grant.
Result<int> revoke_grant(const CommandContext& context, const std::string& token,
                         const std::string& target) {
  const GrantText gone = split_grant(target);
  HONE_TRY(const Client client, context.client());
  HONE_TRY(const std::string id, find_id(client, token));
  const auto is_gone = [&gone](const std::string& right) {
    return std::find(gone.rights.begin(), gone.rights.end(), right) != gone.rights.end();
  };
  for (const std::string& right : gone.rights) {
    if (!parse_target_right(right)) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("\"{}\" is no right: want some of {}", right, kTargetRightChoices));
    }
  }
  if (gone.rights.empty() || is_gone("read")) {
    HONE_TRY(const Json answer,
             client.remove(fmt::format("/v1/tokens/{}/grants/{}", percent_encode(id),
                                       percent_encode(gone.target))));
    show_token(context, answer);
    return 0;
  }
  HONE_TRY(const Json known, client.get("/v1/tokens/" + percent_encode(id)));
  const std::vector<std::string> before = rights_on(known, gone.target);
  for (const std::string& right : gone.rights) {
    if (std::find(before.begin(), before.end(), right) == before.end()) {
      return fail(ErrorCode::not_found,
                  fmt::format("token {} has no right to {} {}", token, right, gone.target));
    }
  }
  std::vector<std::string> left = before;
  std::erase_if(left, is_gone);
  HONE_TRY(const Json answer, put_rights(client, id, gone.target, left));
  show_change(context, answer, gone.target, before);
  return 0;
}

struct RotateOptions {
  std::string token;
  std::string overlap;
  std::string output;
};

Result<int> rotate(const CommandContext& context, const RotateOptions& options) {
  Json body = Json::object();
  if (!options.overlap.empty()) {
    HONE_TRY(body["old_for_seconds"], parse_span(options.overlap));
  }
  HONE_TRY(const Client client, context.client());
  HONE_TRY(const std::string id, find_id(client, options.token));
  HONE_TRY(std::optional<NewFile> file, output_file(options.output));
  HONE_TRY(const Json answer, client.post("/v1/tokens/" + percent_encode(id) + "/rotate", body));
  return hand_over(context, answer, options.output, std::move(file));
}

Result<int> revoke(const CommandContext& context, const std::string& token) {
  HONE_TRY(const Client client, context.client());
  HONE_TRY(const std::string id, find_id(client, token));
  HONE_TRY(const Json answer, client.remove("/v1/tokens/" + percent_encode(id)));
  static_cast<void>(answer);
  print(fmt::format("Token {} is revoked.\n", token));
  return 0;
}

void add_create(CLI::App& token, CommandContext& context) {
  CLI::App* const creating = token.add_subcommand("create", "Make a token");
  const auto options = std::make_shared<CreateOptions>();
  creating->add_option("name", options->name, "Whose it is")->required();
  creating->add_option("--role", options->role, "What it may do")
      ->check(one_of(kRoleChoices))
      ->capture_default_str();
  creating->add_option("--target", options->targets,
                       fmt::format("Confine it to this target, as NAME or NAME:RIGHT[,RIGHT...] of "
                                   "{}; may be given again [default: all targets]",
                                   kTargetRightChoices));
  creating->add_option("--expires", options->expires, "Refuse it after this time, like 90d or 12h");
  creating->add_option("--output", options->output, "Write it to this new file, mode 0600");
  creating->callback([&context, options] {
    context.action = [&context, options] { return create(context, *options); };
  });
}

void add_rotate(CLI::App& token, CommandContext& context) {
  CLI::App* const rotating =
      token.add_subcommand("rotate", "Give a token another secret; id, role and grants stay");
  const auto options = std::make_shared<RotateOptions>();
  rotating->add_option("token", options->token, "Its id or name")->required();
  rotating->add_option("--overlap", options->overlap,
                       "For how long the old secret is good, too, like 1h [default: not at all]");
  rotating->add_option("--output", options->output,
                       "Write the new one to this new file, mode 0600");
  rotating->callback([&context, options] {
    context.action = [&context, options] { return rotate(context, *options); };
  });
}

}  // namespace

void add_token(CLI::App& app, CommandContext& context) {
  CLI::App* const token =
      app.add_subcommand("token", "Make, list, limit, rotate and revoke access tokens");
  token->require_subcommand(1);
  add_create(*token, context);
  token->add_subcommand("list", "List the tokens in use, without their secrets")
      ->callback([&context] { context.action = [&context] { return list(context); }; });

  const auto id = std::make_shared<std::string>();
  const auto target = std::make_shared<std::string>();
  CLI::App* const showing = token->add_subcommand("show", "What a token may do");
  showing->add_option("token", *id, "Its id or name")->required();
  showing->callback(
      [&context, id] { context.action = [&context, id] { return show(context, *id); }; });

  CLI::App* const granting = token->add_subcommand(
      "grant", "Grant a confined token rights to a target, beside those that it has");
  granting->add_option("token", *id, "Its id or name")->required();
  granting
      ->add_option("target", *target,
                   fmt::format("NAME or NAME:RIGHT[,RIGHT...] of {} [default: what its role "
                               "usually may]",
                               kTargetRightChoices))
      ->required();
  granting->callback([&context, id, target] {
    context.action = [&context, id, target] { return grant(context, *id, *target); };
  });

  CLI::App* const taking =
      token->add_subcommand("revoke-grant", "Take a grant back, or rights of it");
  taking->add_option("token", *id, "Its id or name")->required();
  taking
      ->add_option("target", *target,
                   "NAME, or NAME:RIGHT[,RIGHT...] for these rights alone (`read` is the whole)")
      ->required();
  taking->callback([&context, id, target] {
    context.action = [&context, id, target] { return revoke_grant(context, *id, *target); };
  });

  add_rotate(*token, context);
  CLI::App* const revoking = token->add_subcommand("revoke", "Refuse a token from now on");
  revoking->add_option("token", *id, "Its id or name, as `hone token list` shows it")->required();
  revoking->callback(
      [&context, id] { context.action = [&context, id] { return revoke(context, *id); }; });
}

}  // namespace hone
