// The commands `honed backup` and `honed restore`.
#pragma once

#include <string>

#include "common/base/result.h"
#include "server/honed.h"

namespace CLI {
class App;
}

namespace hone {

struct BackupCommand {
  enum class Kind { none, backup, restore, verify };
  Kind kind = Kind::none;
  std::string path;
};

// `command` must outlive the parse.
void add_backup_commands(CLI::App& app, BackupCommand& command);

Result<void> run_backup(const BackupCommand& command, const HonedOptions& options);

}  // namespace hone
