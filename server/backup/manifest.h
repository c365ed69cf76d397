// What a backup holds: versions, counts, and every file with its size and hash. Written last, so
// that a backup that was cut short has none. Plain values; thread safe.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/json/document.h"
#include "server/store/backup_facts.h"

namespace hone {

// Names within a backup.
inline constexpr std::string_view kManifestFile = "manifest.json";
inline constexpr std::string_view kBaseFile = "base.tar.zst";            // the cluster's folder
inline constexpr std::string_view kWalFile = "pg_wal.tar";               // what makes it consistent
inline constexpr std::string_view kClusterManifest = "backup_manifest";  // PostgreSQL's own
inline constexpr std::string_view kArtifactPrefix = "artifacts/";        // artifacts/ab/abcdef...

inline constexpr std::size_t kMaxManifestBytes = std::size_t{512} << 20U;

struct BackupFile {
  std::string name;
  std::int64_t bytes = 0;
  std::string sha256;
};

struct BackupManifest {
  std::string hone_version;
  std::string created_at;  // RFC 3339
  std::string server_version;
  std::vector<AppliedMigration> migrations;
  std::map<std::string, std::int64_t> rows;  // at the least: counted when the backup began
  std::vector<BackupFile> files;
};

std::string artifact_name(std::string_view sha256);

Json to_json(const BackupManifest& manifest);
// invalid_argument naming what is missing or wrong; unsupported for another format.
Result<BackupManifest> parse_manifest(std::string_view text);

}  // namespace hone
