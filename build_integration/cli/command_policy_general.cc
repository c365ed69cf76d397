// hone policy general
#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "build_integration/cli/command_context.h"
#include "build_integration/cli/command_policy.h"
#include "common/base/program_beside.h"

namespace hone {
namespace {

struct GeneralOptions {
  int clang = 19;
  bool document = false;
};

// The installed policy for products that nobody tuned, as a path for HONE_POLICY.
Result<int> general(const GeneralOptions& options) {
  const std::string name = fmt::format("policies/general-llvm-{}", options.clang);
  const std::filesystem::path file = shared_file(name + (options.document ? ".json" : ".index"));
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) {
    return fail(ErrorCode::not_found,
                fmt::format("there is no general policy for clang {} ({}); clang 19 has one",
                            options.clang, file.string()));
  }
  print(file.string() + "\n");
  return 0;
}

}  // namespace

void add_policy_general(CLI::App& policy, CommandContext& context) {
  CLI::App* const command = policy.add_subcommand(
      "general", "Where the policy for products that nobody tuned is installed");
  const auto options = std::make_shared<GeneralOptions>();
  command->add_option("--clang", options->clang, "The compiler's major version")
      ->check(CLI::Range(1, 999))
      ->capture_default_str();
  command->add_flag(
      "--document", options->document,
      "The policy itself (JSON, with its card) instead of the index that hone-cc reads");
  command->callback(
      [&context, options] { context.action = [options] { return general(*options); }; });
}

}  // namespace hone
