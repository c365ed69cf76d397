// hone policy pull | push
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
#include "build_integration/cli/command_policy.h"
#include "build_integration/cli/installed_policy.h"
#include "build_integration/cli/policy_file.h"
#include "build_integration/cli/policy_options.h"
#include "build_integration/cli/policy_transfer.h"
#include "common/base/file.h"
#include "common/base/printable.h"
#include "common/policy/index.h"
#include "common/protocol/target_spec.h"

namespace hone {
namespace {

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

// No coordinator, or one with an older policy: a build goes on with the policy it has.
Result<int> keep(const CommandContext& context, const PullOptions& options, const Trust& trust,
                 const PolicyPlace& place, const Error& why) {
  HONE_TRY(const std::optional<Installation> kept, keep_policy(trust, place));
  fmt::print(stderr, "hone: warning: {}; {}\n", printable(why.message),
             kept ? fmt::format("the last good policy is kept ({}, sequence {})",
                                options.compile.output, kept->sequence)
                  : "there is no policy yet: builds stay plain");
  if (kept) {
    print_installation(context, options, *kept, "kept");
    return options.required ? exit_code(why.code) : 0;
  }
  print_warnings(key_warnings(trust));
  if (context.json) {
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
  const Trust trust{trusted_keys(options.compile), options.compile.allow_unsigned};
  HONE_TRY(std::vector<std::string> sources, sources_of(options.compile));
  const PolicyPlace place{options.compile.output, options.json_output, options.compile.per_source,
                          std::move(sources)};
  HONE_TRY(ClientOptions client, resolve_client_options(context.server));
  const Result<SignedPolicy> policy =
      fetch_policy_within(kPullBudget, std::move(client), options.target, options.version);
  if (!policy.has_value()) {
    if (is_coordinator_away(policy.error())) {
      return keep(context, options, trust, place, policy.error());
    }
    return policy.error();
  }
  const Result<Installation> installed = install_policy(*policy, trust, options.target, place);
  // As after a restore from a backup, until the target has a newer one. Whoever plays an old one
  // gets no more than by playing none.
  if (!installed && installed.error().code == ErrorCode::expired && options.version == 0) {
    return keep(context, options, trust, place, installed.error());
  }
  HONE_TRY(const Installation done, installed);
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
  HONE_TRY(const Json version, field_of(answer, "version"));
  HONE_TRY(const Json sequence, field_of(answer, "sequence"));
  if (policy.signature.empty() && sequence.dump() != std::to_string(checked.policy.sequence)) {
    fmt::print(stderr,
               "hone: published as sequence {}, not {} as {} says: unsigned policies are numbered "
               "by honed. To sign it, sign what was published: hone policy show {} --version {} > "
               "FILE, hone policy sign FILE --key KEY, hone policy attach {} {} FILE\n",
               sequence.dump(), checked.policy.sequence, options.file, options.target,
               version.dump(), options.target, version.dump());
  }
  if (options.promote) {
    Result<Json> promoted = client.post(fmt::format("/v1/policies/{}/versions/{}/promote",
                                                    percent_encode(options.target), version.dump()),
                                        Json::object());
    if (!promoted) {
      Error error = promoted.error();
      error.message = fmt::format(
          "version {0} is published, but not in force: {1}. Once that is mended, `hone policy "
          "promote {2} {0}` puts it in force; it need not be pushed again",
          version.dump(), error.message, options.target);
      return error;
    }
    answer = *std::move(promoted);
  }
  print_json(answer);
  return 0;
}

}  // namespace

void add_policy_transfer(CLI::App& policy, CommandContext& context) {
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
      "Fail when the coordinator does not answer within 5 seconds, or has a policy that is older "
      "than one seen before, instead of keeping the last good policy with exit code 0 and a "
      "warning");
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

}  // namespace hone
