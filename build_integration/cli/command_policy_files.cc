// hone policy compile | stamps | keygen | sign
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "build_integration/cli/command_context.h"
#include "build_integration/cli/command_policy.h"
#include "build_integration/cli/decision_stamps.h"
#include "build_integration/cli/installed_policy.h"
#include "build_integration/cli/policy_file.h"
#include "build_integration/cli/policy_options.h"
#include "build_integration/cli/source_list.h"
#include "common/base/file.h"
#include "common/base/new_file.h"
#include "common/policy/decision_files.h"
#include "common/policy/index.h"
#include "common/policy/signature.h"

namespace hone {
namespace {

constexpr std::int64_t kMaxSequence = std::int64_t{1} << 52U;  // honed takes none above

// Writes index and decision files of a policy that passes the trust check.
Result<int> compile(const std::string& file, CompileOptions options) {
  if (options.output.empty()) {
    options.output = std::filesystem::path(file).replace_extension(".index").string();
  }
  HONE_TRY(const SignedPolicy policy, read_policy_file(file));
  HONE_TRY(const ParsedPolicy parsed,
           trusted_policy(policy, {trusted_keys(options), options.allow_unsigned}));
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

struct KeyOptions {
  std::string secret;
  std::string open;
};

Result<int> keygen(const KeyOptions& options) {
  const std::string open = options.open.empty() ? options.secret + ".pub" : options.open;
  HONE_TRY(const KeyPair pair, generate_key_pair());
  // Both are made before one is written, and gone again if either fails.
  HONE_TRY(NewFile secret_file, NewFile::create(options.secret, 0600));
  HONE_TRY(NewFile open_file, NewFile::create(open, 0644));
  HONE_CHECK(open_file.write(pair.public_pem));
  HONE_CHECK(secret_file.write(pair.secret_pem));
  print(
      fmt::format("{}: secret key (mode 0600), keep it away from the coordinator and out of the "
                  "product's tree\n{}: public key\n",
                  options.secret, open));
  return 0;
}

struct SignOptions {
  std::string file;
  std::string key;
  std::string output;
  std::int64_t sequence = 0;  // 0: as the file says
  bool detached = false;
};

Result<int> sign(const SignOptions& options) {
  HONE_TRY(SignedPolicy policy, read_policy_file(options.file));
  if (options.sequence != 0 && policy.document.is_object()) {
    policy.document["sequence"] = options.sequence;
  }
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

}  // namespace

void add_policy_files(CLI::App& policy, CommandContext& context) {
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
  CLI::Option* const detached =
      signing->add_flag("--detached", sign_options->detached,
                        "Write the signature alone instead of policy and signature together");
  signing
      ->add_option("--sequence", sign_options->sequence,
                   "Give the policy this number first, above all that the target published: to put "
                   "an older one in force again")
      ->check(CLI::Range(std::int64_t{1}, kMaxSequence))
      ->excludes(detached);
  signing->callback([&context, sign_options] {
    context.action = [sign_options] { return sign(*sign_options); };
  });
}

}  // namespace hone
