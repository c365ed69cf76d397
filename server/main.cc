// honed, the coordinator: reads its settings and runs it, or makes or restores a backup.
#include <cstdio>
#include <exception>
#include <string>

#include <CLI/CLI.hpp>

#include "common/completion/bash_completion.h"
#include "server/backup/backup_command.h"
#include "server/settings.h"

namespace hone {
namespace {

int report(const Error& error) {
  std::fprintf(stderr, "honed: %s\n", error.describe().c_str());
  return exit_code(error.code);
}

int run_main(int argc, char** argv) {
  HonedSettings settings;
  SettingTable table({.program = "honed",
                      .version = HONE_VERSION,
                      .environment_prefix = "HONED_",
                      .reference_intro =
                          "The coordinator. `honed backup` and `honed restore` take the same "
                          "settings, of which they use `data`, `database` and `artifacts`."});
  declare_settings(table, settings);
  CLI::App app("The coordinator of Hone: REST API, queue of jobs, store, campaigns.", "honed");
  add_bash_completion(app);
  BackupCommand backup;
  add_backup_commands(app, backup);
  if (const std::optional<int> end = table.read(app, argc, argv)) {
    return *end;
  }
  use_log_settings(settings.log);
  if (const Result<void> whole = finish_settings(settings); !whole) {
    return report(whole.error());
  }
  const Result<void> ended = backup.kind == BackupCommand::Kind::none
                                 ? run_honed(settings.options)
                                 : run_backup(backup, settings.options);
  return ended.has_value() ? 0 : report(ended.error());
}

}  // namespace
}  // namespace hone

int main(int argc, char** argv) {
  try {
    return hone::run_main(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "honed: %s\n", error.what());
    return 1;
  }
}
