// hone backup, hone restore: honed does it, on the machine whose data it is; no coordinator is
// asked.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "build_integration/cli/command_context.h"
#include "common/base/environment.h"
#include "common/base/program_beside.h"
#include "common/base/subprocess.h"

namespace hone {
namespace {

struct BackupOptions {
  std::string path;
  std::string data;
};

Result<int> run_honed(const CommandContext& context, const std::string& what,
                      const BackupOptions& options) {
  HONE_TRY(const std::filesystem::path honed, program_beside_us("honed"));
  Command command;
  command.arguments = {honed.string(), what, options.path};
  if (!options.data.empty()) {
    command.arguments.insert(command.arguments.end(), {"--data", options.data});
  }
  command.environment = current_environment();
  HONE_TRY(const RunReport report, run(command, context.stop));
  print(report.stdout_text);
  std::fputs(report.stderr_text.c_str(), stderr);
  if (report.end == RunEnd::stopped) {
    return fail(ErrorCode::cancelled, "stopped; what was not finished is named " + options.path +
                                          ".partial, or is a data folder that honed refuses");
  }
  if (report.end != RunEnd::exited) {
    return fail(ErrorCode::internal, "honed ended: " + report.describe_end());
  }
  return report.exit_code;
}

void add(CLI::App& app, CommandContext& context, const char* name, const char* what,
         const char* help) {
  CLI::App* const command = app.add_subcommand(name, help);
  const auto options = std::make_shared<BackupOptions>();
  command->add_option("path", options->path, "A folder, or a file whose name ends in .tar")
      ->required();
  command->add_option("--data", options->data, "honed's data folder [as honed has it]");
  command->callback([&context, options, what] {
    context.action = [&context, options, what] { return run_honed(context, what, *options); };
  });
}

}  // namespace

void add_backup(CLI::App& app, CommandContext& context) {
  add(app, context, "backup", "backup",
      "Write a backup of a coordinator's data on this machine, running or not");
  add(app, context, "restore", "restore", "Fill an empty data folder from a backup");
}

}  // namespace hone
