#include "server/backup/backup_command.h"

#include <cstdio>

#include <CLI/CLI.hpp>

#include "server/backup/backup_files.h"
#include "server/backup/make_backup.h"
#include "server/backup/restore_backup.h"

namespace hone {
namespace {

void print_manifest(const std::string& what, const BackupManifest& manifest) {
  std::int64_t bytes = 0;
  std::size_t artifacts = 0;
  for (const BackupFile& file : manifest.files) {
    bytes += file.bytes;
    artifacts += file.name.starts_with(kArtifactPrefix) ? 1 : 0;
  }
  std::printf(
      "%s: made %s by Hone %s, PostgreSQL %s; at least %lld jobs, %lld policies; %zu "
      "artifacts; %lld bytes; every hash is right\n",
      what.c_str(), manifest.created_at.c_str(), manifest.hone_version.c_str(),
      manifest.server_version.c_str(), static_cast<long long>(manifest.rows.at("jobs")),
      static_cast<long long>(manifest.rows.at("policies")), artifacts,
      static_cast<long long>(bytes));
}

}  // namespace

void add_backup_commands(CLI::App& app, BackupCommand& command) {
  app.require_subcommand(0, 1);
  const auto add = [&](const char* name, const char* help, BackupCommand::Kind kind) {
    CLI::App* const sub = app.add_subcommand(name, help);
    sub->fallthrough();
    sub->add_option("path", command.path, "A folder, or a file whose name ends in .tar")
        ->required();
    sub->callback([&command, kind] { command.kind = kind; });
  };
  add("backup", "Write a backup of the data folder, whether honed runs or not",
      BackupCommand::Kind::backup);
  add("restore", "Fill an empty data folder from a backup", BackupCommand::Kind::restore);
  add("verify-backup", "Read a backup to its end and compare every hash",
      BackupCommand::Kind::verify);
}

Result<void> run_backup(const BackupCommand& command, const HonedOptions& options) {
  if (command.kind == BackupCommand::Kind::restore) {
    HONE_CHECK(restore_backup(options, command.path));
    std::printf("restored to %s; a new token for admins is in it\n", options.data.c_str());
    return {};
  }
  if (command.kind == BackupCommand::Kind::backup) {
    HONE_CHECK(make_backup(options, command.path, HONE_VERSION));
  }
  HONE_TRY(const BackupManifest manifest, verify_backup(command.path));
  print_manifest(command.path, manifest);
  return {};
}

}  // namespace hone
