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

// What is left to do by hand, with the commands that do it.
void print_restoration(const std::string& folder, const Restoration& restoration) {
  std::printf("restored to %s, as it was at %s; a new token for admins is in it\n", folder.c_str(),
              restoration.made_at.c_str());
  std::printf(
      "tokens and policy keys that were revoked since then are good again: revoke them anew\n");
  std::size_t published = 0;
  for (const RestoredPolicy& policy : restoration.policies) {
    published += policy.end == RestoredPolicy::End::published ? 1 : 0;
  }
  if (published > 0) {
    std::printf(
        "%zu policies in force were published again, with numbers above all that machines may "
        "have seen\n",
        published);
  }
  for (const RestoredPolicy& policy : restoration.policies) {
    const char* const target = policy.target.c_str();
    const auto version = static_cast<long long>(policy.version);
    const auto sequence = static_cast<long long>(policy.sequence);
    if (policy.end == RestoredPolicy::End::wants_signature) {
      std::printf(
          "target %s: machines that saw a later policy refuse version %lld, whose number is signed "
          "with it, and keep theirs. Once honed runs:\n"
          "  hone policy show %s --version %lld > %s.json\n"
          "  hone policy sign %s.json --sequence %lld --key SECRET\n"
          "  hone policy push %s %s.json --promote\n",
          target, version, target, version, target, target, sequence, target, target);
    } else if (policy.end == RestoredPolicy::End::has_canary) {
      std::printf(
          "target %s: canary %s is under way, so version %lld keeps its number, and machines that "
          "saw a later policy keep theirs. Once honed runs:\n"
          "  hone canary abort %s\n"
          "  hone policy rollback %s %lld\n",
          target, policy.canary.c_str(), version, policy.canary.c_str(), target, version);
    }
  }
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
    HONE_TRY(const Restoration restoration, restore_backup(options, command.path));
    print_restoration(options.data.string(), restoration);
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
