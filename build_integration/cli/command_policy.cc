// hone policy ...
#include "build_integration/cli/command_policy.h"

#include <CLI/CLI.hpp>

#include "build_integration/cli/command_context.h"

namespace hone {

void add_policy(CLI::App& app, CommandContext& context) {
  CLI::App* const policy =
      app.add_subcommand("policy", "Fetch, publish, sign, compare and compile policies");
  policy->require_subcommand(1);
  add_policy_transfer(*policy, context);
  add_policy_versions(*policy, context);
  add_policy_files(*policy, context);
  add_policy_keys(*policy, context);
  add_policy_general(*policy, context);
  add_policy_knobs(*policy, context);
}

}  // namespace hone
