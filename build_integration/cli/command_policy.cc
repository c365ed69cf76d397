// hone policy pull | push | show | diff | versions | promote | rollback | compile | stamps | keygen
// | sign
#include <chrono>
#include <cstdio>
#include <filesystem>
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
#include "build_integration/cli/decision_stamps.h"
#include "build_integration/cli/installed_policy.h"
#include "build_integration/cli/policy_diff.h"
#include "build_integration/cli/policy_file.h"
#include "build_integration/cli/policy_transfer.h"
#include "build_integration/cli/signature.h"
#include "build_integration/cli/source_list.h"
#include "build_integration/cli/text_table.h"
#include "common/base/file.h"
#include "common/policy/decision_files.h"
#include "common/policy/index.h"
#include "common/protocol/target_spec.h"

namespace hone {
namespace {

// Where a policy is written for the launcher.
struct CompileOptions {
  std::string output;
  std::string per_source;
  std::string sources;
  std::string compile_commands;
  std::string root;
  std::string public_key;
  bool allow_unsigned = false;
};

void add_compile_options(CLI::App& app, CompileOptions& options) {
  app.add_option("--per-source", options.per_source,
                 "Also write one decision file per source into this folder, touching only those "
                 "whose decision changed");
  app.add_option("--sources", options.sources,
                 "File with the sources for --per-source, one a line relative to the source root; "
                 "- is standard input");
  app.add_option("--compile-commands", options.compile_commands,
                 "compile_commands.json that names the sources instead");
  app.add_option("--root", options.root,
                 "Source root that --compile-commands' files are made relative to [default: .]");
  app.add_option("--public-key", options.public_key, "Verify the signature with this key (PEM)");
  app.add_flag("--unsigned", options.allow_unsigned, "Go without a signature");
}

void print_warnings(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) {
    fmt::print(stderr, "hone: warning: {}\n", printable(warning));
  }
}

Result<std::vector<std::string>> sources_of(const CompileOptions& options) {
  if (options.per_source.empty()) {
    return std::vector<std::string>();
  }
  return list_sources({options.sources, options.compile_commands, options.root});
}

// Writes index and decision files of a policy that passes the trust check.
Result<int> compile(const std::string& file, CompileOptions options) {
  if (options.output.empty()) {
    options.output = std::filesystem::path(file).replace_extension(".index").string();
  }
  HONE_TRY(const SignedPolicy policy, read_policy_file(file));
  HONE_TRY(const ParsedPolicy parsed,
           trusted_policy(policy, {options.public_key, options.allow_unsigned}));
  print_warnings(parsed.warnings);
  HONE_TRY(const std::vector<std::string> sources, sources_of(options));
  HONE_TRY(const std::string index, compile_index(parsed.policy));
  HONE_CHECK(write_file_if_changed(options.output, index));
  print(fmt::format("{}: index of {} rules, sequence {}\n", options.output,
                    parsed.policy.rules.size(), parsed.policy.sequence));
  if (!options.per_source.empty()) {
    HONE_TRY(const std::size_t written,
             write_decision_files(parsed.policy, sources, options.per_source));
    print(fmt::format("{}: {} of {} decision files changed\n", options.per_source, written,
                      sources.size()));
  }
  return 0;
}

struct StampOptions {
  std::string file;
  std::string sources;
  std::string output;
};

// For the build step of Hone.cmake. No signature is asked for: what is written decides what is
// compiled again, never how.
Result<int> stamps(const StampOptions& options) {
  HONE_TRY(const SignedPolicy policy, read_policy_file(options.file));
  HONE_TRY(const ParsedPolicy parsed, policy_from_json(policy.document));
  HONE_TRY(const std::vector<std::string> sources, list_sources({options.sources, "", ""}));
  HONE_TRY(const std::size_t written,
           write_decision_stamps(parsed.policy, sources, options.output));
  print(fmt::format("{}: {} of {} decisions changed\n", options.output, written, sources.size()));
  return 0;
}

// A build waits for a coordinator this long in all, less what reading and writing files may take.
constexpr std::chrono::milliseconds kPullBudget{4500};

struct PullOptions {
  std::string target;
  std::int64_t version = 0;
  std::string json_output;
  bool required = false;
  CompileOptions compile;
};

void print_installation(const CommandContext& context, const PullOptions& options,
                        const Installation& done, const char* status) {
  print_warnings(done.warnings);
  if (context.json) {
    print_json({{"status", status},
                {"index", options.compile.output},
                {"sequence", done.sequence},
                {"rules", done.rules},
                {"decisions_changed", done.decisions_changed}});
    return;
  }
  print(fmt::format("{}: {}, index of {} rules, sequence {}\n", options.compile.output, status,
                    done.rules, done.sequence));
  if (!options.compile.per_source.empty()) {
    print(fmt::format("{}: {} decision files changed\n", options.compile.per_source,
                      done.decisions_changed));
  }
}

// No coordinator: a build goes on with the policy it has.
Result<int> keep(const CommandContext& context, const PullOptions& options, const Trust& trust,
                 const PolicyPlace& place, const Error& why) {
  HONE_TRY(const std::optional<Installation> kept, keep_policy(trust, place));
  fmt::print(stderr, "hone: warning: {}; {}\n", printable(why.message),
             kept ? fmt::format("the last good policy is kept ({}, sequence {})",
                                options.compile.output, kept->sequence)
                  : "there is no policy yet: builds stay plain");
  if (kept) {
    print_installation(context, options, *kept, "kept");
  } else if (context.json) {
    print_json({{"status", "none"}});
  }
  return options.required ? exit_code(why.code) : 0;
}

Result<int> pull(const CommandContext& context, PullOptions options) {
  if (options.compile.output.empty()) {
    options.compile.output = options.target + ".policy";
  }
  if (options.json_output.empty()) {
    options.json_output = options.compile.output + ".json";
  }
  const Trust trust{options.compile.public_key, options.compile.allow_unsigned};
  HONE_TRY(std::vector<std::string> sources, sources_of(options.compile));
  const PolicyPlace place{options.compile.output, options.json_output, options.compile.per_source,
                          std::move(sources)};
  HONE_TRY(ClientOptions client, resolve_client_options(context.url, context.token_file));
  const Result<SignedPolicy> policy =
      fetch_policy_within(kPullBudget, std::move(client), options.target, options.version);
  if (!policy.has_value()) {
    if (is_coordinator_away(policy.error())) {
      return keep(context, options, trust, place, policy.error());
    }
    return policy.error();
  }
  HONE_TRY(const Installation done, install_policy(*policy, trust, options.target, place));
  print_installation(context, options, done, done.changed ? "changed" : "unchanged");
  return 0;
}

struct PushOptions {
  std::string target;
  std::string file;
  bool promote = false;
};

Result<int> push(const CommandContext& context, const PushOptions& options) {
  HONE_TRY(const SignedPolicy policy, read_policy_file(options.file));
  HONE_TRY(const ParsedPolicy checked, policy_from_json(policy.document));
  HONE_TRY(const std::string index, compile_index(checked.policy));  // refuses what is not allowed
  static_cast<void>(index);
  HONE_TRY(const Client client, context.client());
  HONE_TRY(Json answer, publish_policy(client, options.target, policy));
  if (options.promote) {
    HONE_TRY(const Json version, field_of(answer, "version"));
    HONE_TRY(answer, client.post(fmt::format("/v1/policies/{}/versions/{}/promote",
                                             percent_encode(options.target), version.dump()),
                                 Json::object()));
  }
  print_json(answer);
  return 0;
}

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

struct KeyOptions {
  std::string secret;
  std::string open;
};

Result<int> keygen(const KeyOptions& options) {
  const std::string open = options.open.empty() ? options.secret + ".pub" : options.open;
  for (const std::string& file : {options.secret, open}) {
    if (std::filesystem::exists(file)) {
      return fail(ErrorCode::conflict, file + " exists; keys are not overwritten");
    }
  }
  HONE_TRY(const KeyPair pair, generate_key_pair());
  HONE_CHECK(write_file_atomically(options.secret, pair.secret_pem, 0600));
  HONE_CHECK(write_file_atomically(open, pair.public_pem, 0644));
  print(
      fmt::format("{}: secret key (mode 0600), keep it away from the coordinator\n{}: public key\n",
                  options.secret, open));
  return 0;
}

struct SignOptions {
  std::string file;
  std::string key;
  std::string output;
  bool detached = false;
};

Result<int> sign(const SignOptions& options) {
  HONE_TRY(SignedPolicy policy, read_policy_file(options.file));
  HONE_TRY(const ParsedPolicy checked, policy_from_json(policy.document));
  HONE_TRY(const std::string key, read_secret_key(options.key));
  HONE_TRY(policy.signature, sign_policy(policy.document, key));
  std::string output = options.output;
  if (options.detached) {
    output = output.empty() ? options.file + ".sig" : output;
    HONE_CHECK(write_file_atomically(output, policy.signature + "\n"));
  } else {
    output = output.empty() ? options.file : output;
    HONE_CHECK(write_file_atomically(output, print_signed_policy(policy)));
  }
  print(fmt::format("{}: signed, {} rules, sequence {}\n", output, checked.policy.rules.size(),
                    checked.policy.sequence));
  return 0;
}

void add_transfer(CLI::App& policy, CommandContext& context) {
  CLI::App* const pulling = policy.add_subcommand(
      "pull", "Fetch a target's policy, verify it and write the index that hone-cc reads");
  const auto options = std::make_shared<PullOptions>();
  pulling->add_option("target", options->target, "Name of the target")->required();
  pulling->add_option("--version", options->version, "Version [default: the promoted one]")
      ->check(CLI::PositiveNumber);
  pulling->add_option("-o,--output", options->compile.output, "The index [default: TARGET.policy]");
  pulling->add_option("--json-output", options->json_output,
                      "The document [default: the index's name and .json]");
  pulling->add_flag(
      "--required", options->required,
      "Fail when the coordinator does not answer within 5 seconds, instead of keeping "
      "the last good policy with exit code 0 and a warning");
  add_compile_options(*pulling, options->compile);
  pulling->callback([&context, options] {
    context.action = [&context, options] { return pull(context, *options); };
  });

  CLI::App* const pushing = policy.add_subcommand("push", "Publish a policy file as a new version");
  const auto push_options = std::make_shared<PushOptions>();
  pushing->add_option("target", push_options->target, "Name of the target")->required();
  pushing->add_option("file", push_options->file, "The policy, signed or not")->required();
  pushing->add_flag("--promote", push_options->promote, "Make it the one that builds pull");
  pushing->callback([&context, push_options] {
    context.action = [&context, push_options] { return push(context, *push_options); };
  });
}

void add_versions(CLI::App& policy, CommandContext& context) {
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

void add_files(CLI::App& policy, CommandContext& context) {
  CLI::App* const compiling =
      policy.add_subcommand("compile", "Make the index that hone-cc reads from a policy file");
  const auto file = std::make_shared<std::string>();
  const auto options = std::make_shared<CompileOptions>();
  compiling->add_option("file", *file, "The policy (JSON)")->required();
  compiling->add_option("-o,--output", options->output,
                        "The index [default: the file's name with .index]");
  add_compile_options(*compiling, *options);
  compiling->callback([&context, file, options] {
    context.action = [file, options] { return compile(*file, *options); };
  });

  CLI::App* const stamping = policy.add_subcommand(
      "stamps",
      "Write what a policy decides for each source into text files that objects depend on");
  const auto stamp_options = std::make_shared<StampOptions>();
  stamping->add_option("file", stamp_options->file, "The policy (JSON)")->required();
  stamping->add_option("--sources", stamp_options->sources, "File with the sources, one a line")
      ->required();
  stamping->add_option("-o,--output", stamp_options->output, "The folder")->required();
  stamping->callback([&context, stamp_options] {
    context.action = [stamp_options] { return stamps(*stamp_options); };
  });

  CLI::App* const making = policy.add_subcommand("keygen", "Make an Ed25519 key pair");
  const auto keys = std::make_shared<KeyOptions>();
  making->add_option("secret", keys->secret, "File of the secret key")->required();
  making->add_option("public", keys->open, "File of the public key [default: SECRET.pub]");
  making->callback([&context, keys] { context.action = [keys] { return keygen(*keys); }; });

  CLI::App* const signing = policy.add_subcommand("sign", "Sign a policy file");
  const auto sign_options = std::make_shared<SignOptions>();
  signing->add_option("file", sign_options->file, "The policy (JSON)")->required();
  signing->add_option("--key", sign_options->key, "The secret key, mode 0600")->required();
  signing->add_option("-o,--output", sign_options->output,
                      "Where to write [default: the file itself, or FILE.sig]");
  signing->add_flag("--detached", sign_options->detached,
                    "Write the signature alone instead of policy and signature together");
  signing->callback([&context, sign_options] {
    context.action = [sign_options] { return sign(*sign_options); };
  });
}

}  // namespace

void add_policy(CLI::App& app, CommandContext& context) {
  CLI::App* const policy =
      app.add_subcommand("policy", "Fetch, publish, sign, compare and compile policies");
  policy->require_subcommand(1);
  add_transfer(*policy, context);
  add_versions(*policy, context);
  add_files(*policy, context);
}

}  // namespace hone
