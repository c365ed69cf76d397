// Registers a product with the coordinator: source and hone.yaml together.
#pragma once

#include <stop_token>
#include <string>

#include "build_integration/cli/packed_source.h"
#include "common/base/result.h"
#include "common/client/client.h"
#include "common/protocol/target_spec.h"

namespace CLI {
class App;
}

namespace hone {

struct TargetOptions {
  std::string source;       // a folder or URL@COMMIT
  std::string target_file;  // empty: hone.yaml in the folder
  std::string name;         // empty: as hone.yaml says
  PackOptions pack;
};

void add_target_options(CLI::App& app, TargetOptions& options);

// Packs and uploads a folder (what it leaves out is told on standard error), or takes the git
// commit, and PUTs the target. For a git source
// without a target file the target of that name must be registered: its spec is kept, the commit
// replaced. Errors: those of the parts.
Result<TargetSpec> register_target(const Client& client, const TargetOptions& options,
                                   const std::stop_token& stop);

}  // namespace hone
