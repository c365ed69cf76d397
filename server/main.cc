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

// Of a command that somebody waits for.
int report(const Error& error) {
  std::fprintf(stderr, "honed: %s\n", error.describe().c_str());
  return exit_code(error.code);
}

int serve(const SettingTable& table, const HonedOptions& options) {
  for (const std::string& stranger : table.strangers()) {
    log_warning("unknown_variable", {{"reason", stranger}});
  }
  const Result<void> ended = run_honed(options);
  return ended.has_value() ? 0 : log_end("honed", ended.error());
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
  table.add_check([&](std::vector<FieldProblem>& problems) {
    if (backup.kind == BackupCommand::Kind::none) {
      check_certificates(settings.options, problems);
    }
  });
  if (const std::optional<int> end = table.read(app, argc, argv)) {
    return *end;
  }
  use_log_settings(settings.log);
  if (backup.kind == BackupCommand::Kind::none) {
    return serve(table, settings.options);
  }
  const Result<void> ended = run_backup(backup, settings.options);
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
