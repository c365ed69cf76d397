// hone policy key add | list | retire, hone policy attach, hone policy require-signatures
#include <algorithm>
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
#include "build_integration/cli/policy_file.h"
#include "build_integration/cli/policy_transfer.h"
#include "build_integration/cli/text_table.h"
#include "common/base/file.h"
#include "common/base/text.h"
#include "common/policy/signature.h"

namespace hone {
namespace {

constexpr std::size_t kMaxFile = 16384;

std::string text_of(const Json& item, const char* key) {
  const auto found = item.find(key);
  return found != item.end() && found->is_string() ? found->get<std::string>() : std::string();
}

struct KeyOptions {
  std::string name;
  std::string public_key;
  std::string target;
  std::string from;
  std::string until;
};

Result<int> add_key(const CommandContext& context, const KeyOptions& options) {
  HONE_TRY(const std::string pem, read_file(options.public_key, kMaxFile));
  HONE_TRY(const std::string fingerprint, key_fingerprint(pem));  // refuses what is none here
  Json body{{"name", options.name}, {"public_key", pem}};
  for (const auto& [key, value] :
       {std::pair<const char*, const std::string&>{"target", options.target},
        {"valid_from", options.from},
        {"valid_until", options.until}}) {
    if (!value.empty()) {
      body[key] = value;
    }
  }
  HONE_TRY(const Client client, context.client());
  HONE_TRY(const Json answer, client.post("/v1/policy-keys", body));
  if (context.json) {
    print_json(answer);
  } else {
    print(fmt::format("Key {} ({}) is in use for {}.\n", options.name, fingerprint.substr(0, 16),
                      options.target.empty() ? "all targets" : "target " + options.target));
  }
  return 0;
}

Result<int> list_keys(const CommandContext& context) {
  HONE_TRY(const Client client, context.client());
  HONE_TRY(const std::vector<Json> items, list_once(client, "/v1/policy-keys"));
  if (context.json) {
    print_json(Json(items));
    return 0;
  }
  TextTable table({{"id"},
                   {"name"},
                   {"target"},
                   {"fingerprint", Align::left, 16},
                   {"in use"},
                   {"from"},
                   {"until"},
                   {"retired"}});
  for (const Json& item : items) {
    const std::string target = text_of(item, "target");
    table.add({text_of(item, "id"), text_of(item, "name"), target.empty() ? "all" : target,
               text_of(item, "fingerprint"), item.value("in_use", false) ? "yes" : "",
               text_of(item, "valid_from"), text_of(item, "valid_until"),
               text_of(item, "retired_at")});
  }
  print(table.text());
  return 0;
}

Result<int> retire_key(const CommandContext& context, const std::string& key, bool force) {
  HONE_TRY(const Client client, context.client());
  HONE_TRY(const std::vector<Json> items, list_once(client, "/v1/policy-keys"));
  std::string id;
  for (const Json& item : items) {
    // Of a name that was used again, the one that is not retired yet.
    if (text_of(item, "id") == key ||
        (text_of(item, "name") == key && text_of(item, "retired_at").empty())) {
      id = text_of(item, "id");
    }
  }
  if (id.empty()) {
    return fail(ErrorCode::not_found, fmt::format("no policy key \"{}\" is in use", key));
  }
  HONE_TRY(const Json answer, client.post("/v1/policy-keys/" + percent_encode(id) + "/retire" +
                                              (force ? "?force=1" : ""),
                                          Json::object()));
  if (context.json) {
    print_json(answer);
  } else {
    print(fmt::format(
        "Key {} is retired: nothing that it signed will be put in force. What is in force stays; "
        "builds that pin it go on with it until they pin another.\n",
        text_of(answer, "name")));
  }
  return 0;
}

struct AttachOptions {
  std::string target;
  std::int64_t version = 0;
  std::string file;
};

struct FoundSignature {
  std::string signature;
  std::optional<Json> document;  // what was signed, if it is there to see
};

// A .sig file, or a signed policy. Of NAME.sig the document is NAME.
Result<FoundSignature> signature_in(const std::string& file) {
  HONE_TRY(const std::string text, read_file(file, std::size_t{64} << 20U));
  if (!trim(text).starts_with('{')) {
    FoundSignature found{std::string(trim(text)), std::nullopt};
    const Result<SignedPolicy> beside = file.ends_with(".sig")
                                            ? read_policy_file(file.substr(0, file.size() - 4))
                                            : fail(ErrorCode::not_found, "no name of a document");
    if (beside) {
      found.document = beside->document;
    }
    return found;
  }
  HONE_TRY(SignedPolicy policy, read_policy_file(file));
  if (policy.signature.empty()) {
    return fail(ErrorCode::invalid_argument,
                file + " holds no signature: sign it with `hone policy sign`");
  }
  return FoundSignature{std::move(policy.signature), std::move(policy.document)};
}

// A signature is of bytes: of a document with another number it is none. honed numbers unsigned
// policies, so the file that was pushed is seldom what was published.
Result<void> check_document(const Client& client, const AttachOptions& options,
                            const std::optional<Json>& signed_document) {
  HONE_TRY(const SignedPolicy published, fetch_policy(client, options.target, options.version));
  if (!signed_document || *signed_document == published.document) {
    return {};
  }
  const auto sequence = [](const Json& document) {
    return document.contains("sequence") ? document["sequence"].dump() : std::string("none");
  };
  return fail(
      ErrorCode::conflict,
      fmt::format("the signature in {0} is of another document than version {1} of {2} (sequence "
                  "{3}, published is {4}): sign what was published: hone policy show {2} --version "
                  "{1} > FILE, hone policy sign FILE --key KEY, hone policy attach {2} {1} FILE",
                  options.file, options.version, options.target, sequence(*signed_document),
                  sequence(published.document)));
}

Result<int> attach(const CommandContext& context, const AttachOptions& options) {
  HONE_TRY(const FoundSignature found, signature_in(options.file));
  HONE_TRY(const Client client, context.client());
  HONE_CHECK(check_document(client, options, found.document));
  HONE_TRY(const Json answer,
           client.put(fmt::format("/v1/policies/{}/versions/{}/signature",
                                  percent_encode(options.target), options.version),
                      Json{{"signature", found.signature}}));
  print_json(answer);
  return 0;
}

// What asking for signatures does not change by itself, and may surprise later.
Result<void> print_what_is_unsigned(const Client& client, const std::string& target) {
  HONE_TRY(const std::vector<Json> versions,
           list_once(client, "/v1/policies/" + percent_encode(target) + "/versions"));
  for (const Json& version : versions) {
    if (version.value("promoted", false) && !version.value("signed", false)) {
      print(
          fmt::format("Version {0}, which is in force, is not signed. It stays in force until "
                      "another one is: hone policy show {1} --version {0} > FILE, hone policy "
                      "sign FILE --key KEY, hone policy attach {1} {0} FILE signs it.\n",
                      version["version"].dump(), target));
    }
  }
  HONE_TRY(const std::vector<Json> keys, list_once(client, "/v1/policy-keys"));
  const bool any = std::any_of(keys.begin(), keys.end(), [&target](const Json& key) {
    const std::string of = text_of(key, "target");
    return key.value("in_use", false) && (of.empty() || of == target);
  });
  if (!any) {
    print(
        fmt::format("No key in use is for {0}: nothing can be put in force until there is one "
                    "(hone policy key add NAME --public-key FILE --target {0}).\n",
                    target));
  }
  return {};
}

Result<int> require(const CommandContext& context, const std::string& target, bool off) {
  HONE_TRY(const Client client, context.client());
  HONE_TRY(const Json answer,
           client.put(fmt::format("/v1/policies/{}/signing", percent_encode(target)),
                      Json{{"required", !off}}));
  if (context.json) {
    print_json(answer);
  } else {
    print(off ? fmt::format("Unsigned policies of {} may be put in force.\n", target)
              : fmt::format("Only policies of {} that a key in use signed may be put in force.\n",
                            target));
  }
  if (!off && !context.json) {
    HONE_CHECK(print_what_is_unsigned(client, target));
  }
  return 0;
}

void add_key_commands(CLI::App& policy, CommandContext& context) {
  CLI::App* const key = policy.add_subcommand(
      "key", "Public keys that the coordinator verifies signatures with; it holds no secret ones");
  key->require_subcommand(1);
  CLI::App* const adding = key->add_subcommand("add", "Register a public key");
  const auto options = std::make_shared<KeyOptions>();
  adding->add_option("name", options->name, "What to call it")->required();
  adding->add_option("--public-key", options->public_key, "The key (PEM)")->required();
  adding->add_option("--target", options->target,
                     "Whose policies it may sign [default: all targets']");
  adding->add_option("--from", options->from, "From then on, like 2027-01-01T00:00:00Z");
  adding->add_option("--until", options->until, "Until then");
  adding->callback([&context, options] {
    context.action = [&context, options] { return add_key(context, *options); };
  });
  key->add_subcommand("list", "List the keys, retired ones too")->callback([&context] {
    context.action = [&context] { return list_keys(context); };
  });
  CLI::App* const retiring =
      key->add_subcommand("retire", "Put nothing more in force that a key signed");
  const auto retired = std::make_shared<std::string>();
  retiring->add_option("policy-key", *retired, "Its id or name")->required();
  const auto force = std::make_shared<bool>(false);
  retiring->add_flag("--force", *force,
                     "Also the last key of a target that asks for signatures: nothing can be put "
                     "in force there until another is added");
  retiring->callback([&context, retired, force] {
    context.action = [&context, retired, force] { return retire_key(context, *retired, *force); };
  });
}

}  // namespace

void add_policy_keys(CLI::App& policy, CommandContext& context) {
  add_key_commands(policy, context);

  CLI::App* const attaching = policy.add_subcommand(
      "attach", "Put a signature beside a published version, or in place of another");
  const auto options = std::make_shared<AttachOptions>();
  attaching->add_option("target", options->target, "Name of the target")->required();
  attaching->add_option("version", options->version, "The version")
      ->required()
      ->check(CLI::PositiveNumber);
  attaching->add_option("file", options->file, "The signature (.sig), or the signed policy")
      ->required();
  attaching->callback([&context, options] {
    context.action = [&context, options] { return attach(context, *options); };
  });

  CLI::App* const requiring =
      policy.add_subcommand("require-signatures", "Put only signed policies of a target in force");
  const auto target = std::make_shared<std::string>();
  const auto off = std::make_shared<bool>(false);
  requiring->add_option("target", *target, "Name of the target")->required();
  requiring->add_flag("--off", *off, "No longer");
  requiring->callback([&context, target, off] {
    context.action = [&context, target, off] { return require(context, *target, *off); };
  });
}

}  // namespace hone
