// What the commands of `hone env` share. Not thread safe.
#pragma once

#include "build_integration/cli/command_context.h"
#include "common/sessions/session_client.h"

namespace hone {

// The session server beside this program. not_found.
Result<SessionClient> start_sessions();

void add_env_search(CLI::App& env, CommandContext& context);

}  // namespace hone
