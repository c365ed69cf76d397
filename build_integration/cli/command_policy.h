// The commands below `hone policy`, by what they work on. Each adds them to `policy`; the context
// must outlive the parse.
#pragma once

namespace CLI {
class App;
}

namespace hone {

struct CommandContext;

void add_policy_transfer(CLI::App& policy, CommandContext& context);
void add_policy_versions(CLI::App& policy, CommandContext& context);
void add_policy_files(CLI::App& policy, CommandContext& context);
void add_policy_keys(CLI::App& policy, CommandContext& context);
void add_policy_general(CLI::App& policy, CommandContext& context);
void add_policy_knobs(CLI::App& policy, CommandContext& context);

}  // namespace hone
