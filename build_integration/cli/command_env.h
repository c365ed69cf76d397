// What the commands of `hone env` share. Not thread safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "build_integration/cli/command_context.h"
#include "build_integration/programs/linked_program.h"
#include "common/sessions/session_client.h"

namespace hone {

// The session server beside this program. not_found.
Result<SessionClient> start_sessions();

inline constexpr std::string_view kProgramHelp =
    "File of bitcode, IR text, C or C++, or a URI: `hone env list datasets`";
// --dataset FILE, repeatable.
void add_dataset_option(CLI::App& command, std::vector<std::string>& files);

// --runtime-count N, --warmup-count N, --buildtime-count N.
void add_linked_options(CLI::App& command, LinkedSettings& settings);

void add_env_list(CLI::App& env, CommandContext& context);
void add_env_log(CLI::App& env, CommandContext& context);
void add_env_search(CLI::App& env, CommandContext& context);
void add_env_shell(CLI::App& env, CommandContext& context);
void add_env_validate(CLI::App& env, CommandContext& context);

}  // namespace hone
