// hone policy show | versions | diff | promote | rollback
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "build_integration/cli/api_calls.h"
#include "build_integration/cli/command_context.h"
#include "build_integration/cli/command_policy.h"
#include "build_integration/cli/policy_diff.h"
#include "build_integration/cli/policy_file.h"
#include "build_integration/cli/policy_transfer.h"
#include "build_integration/cli/text_table.h"
#include "common/protocol/names.h"

namespace hone {
namespace {

Result<int> change_version(const CommandContext& context, const std::string& target,
                           std::int64_t version, std::string_view what) {
  HONE_TRY(const Client client, context.client());
  HONE_TRY(const Json answer, client.post(fmt::format("/v1/policies/{}/versions/{}/{}",
                                                      percent_encode(target), version, what),
                                          Json::object()));
  print_json(answer);
  return 0;
}

Result<int> show(const CommandContext& context, const std::string& target, std::int64_t version) {
  HONE_TRY(const Client client, context.client());
  HONE_TRY(const SignedPolicy policy, fetch_policy(client, target, version));
  print(print_signed_policy(policy));
  return 0;
}

Result<int> versions(const CommandContext& context, const std::string& target) {
  HONE_TRY(const Client client, context.client());
  HONE_TRY(const std::vector<Json> items,
           list_once(client, "/v1/policies/" + percent_encode(target) + "/versions"));
  if (context.json) {
    print_json(Json(items));
    return 0;
  }
  TextTable table({{"version", Align::right},
                   {"sequence", Align::right},
                   {"promoted"},
                   {"signed"},
                   {"by"},
                   {"created"},
                   {"campaign"}});
  for (const Json& item : items) {
    const auto text = [&item](const char* key) {
      const auto found = item.find(key);
      if (found == item.end() || found->is_null()) {
        return std::string();
      }
      return found->is_string() ? found->get<std::string>() : found->dump();
    };
    const auto yes = [&text](const char* key) { return text(key) == "true" ? "yes" : ""; };
    table.add({text("version"), text("sequence"), yes("promoted"), yes("signed"),
               text("created_by"), text("created_at"), text("campaign")});
  }
  print(table.text());
  return 0;
}

// A side of a diff: a file, or TARGET[@VERSION] on the coordinator.
Result<SignedPolicy> side(const CommandContext& context, const std::string& text) {
  std::error_code ignored;
  if (std::filesystem::exists(text, ignored)) {
    return read_policy_file(text);
  }
  const std::size_t at = text.find('@');
  if (!is_valid_name(text.substr(0, at))) {
    return fail(ErrorCode::not_found, "there is no file " + text + ", and no target is named so");
  }
  std::int64_t version = 0;
  if (at != std::string::npos) {
    HONE_TRY(version, parse_version(text.substr(at + 1)));
  }
  HONE_TRY(const Client client, context.client());
  return fetch_policy(client, text.substr(0, at), version);
}

Result<int> diff(const CommandContext& context, const std::string& left, const std::string& right) {
  HONE_TRY(const SignedPolicy before, side(context, left));
  HONE_TRY(const SignedPolicy after, side(context, right));
  HONE_TRY(const ParsedPolicy old_policy, policy_from_json(before.document));
  HONE_TRY(const ParsedPolicy new_policy, policy_from_json(after.document));
  const std::string text = print_policy_diff(old_policy.policy, new_policy.policy);
  print(text.empty() ? "The rules are the same.\n" : text);
  return text.empty() ? 0 : 1;
}

}  // namespace

void add_policy_versions(CLI::App& policy, CommandContext& context) {
  const auto target = std::make_shared<std::string>();
  const auto version = std::make_shared<std::int64_t>(0);

  CLI::App* const showing = policy.add_subcommand("show", "Print a policy");
  showing->add_option("target", *target, "Name of the target")->required();
  showing->add_option("--version", *version, "Version [default: the promoted one]")
      ->check(CLI::PositiveNumber);
  showing->callback([&context, target, version] {
    context.action = [&context, target, version] { return show(context, *target, *version); };
  });

  CLI::App* const listing = policy.add_subcommand("versions", "List a target's policies");
  listing->add_option("target", *target, "Name of the target")->required();
  listing->callback([&context, target] {
    context.action = [&context, target] { return versions(context, *target); };
  });

  for (const auto& [name, help] :
       {std::pair<const char*, const char*>{"promote", "Make a version the one that builds pull"},
        {"rollback", "Publish an older version again and promote it"}}) {
    CLI::App* const changing = policy.add_subcommand(name, help);
    changing->add_option("target", *target, "Name of the target")->required();
    changing->add_option("version", *version, "The version")
        ->required()
        ->check(CLI::PositiveNumber);
    changing->callback([&context, target, version, what = std::string(name)] {
      context.action = [&context, target, version, what] {
        return change_version(context, *target, *version, what);
      };
    });
  }

  CLI::App* const comparing = policy.add_subcommand(
      "diff", "Compare two policies, each a file or TARGET[@VERSION]; exit code 1 if rules differ");
  const auto left = std::make_shared<std::string>();
  const auto right = std::make_shared<std::string>();
  comparing->add_option("old", *left, "The older one")->required();
  comparing->add_option("new", *right, "The newer one")->required();
  comparing->callback([&context, left, right] {
    context.action = [&context, left, right] { return diff(context, *left, *right); };
  });
}

}  // namespace hone
