// Options whose presence alone says that a command is not to be tuned. Thread safe.
#pragma once

#include <string_view>

#include "build_integration/launcher/reason.h"

namespace hone {

// The reason to leave a command with this option alone, or none. `value` is the option's first
// following argument, "" if it takes none.
Reason refusal_of(std::string_view option, std::string_view value);

// Whether `triple` names this machine's architecture and system.
bool is_host_target(std::string_view triple);

}  // namespace hone
