// The options by which commands name the coordinator that they speak to.
#pragma once

#include "common/client/client_options.h"

namespace CLI {
class App;
}

namespace hone {

// --url, --token-file, --ca, --cert, --key. `flags` must outlive the parse.
void add_server_options(CLI::App& app, ClientFlags& flags);

}  // namespace hone
