// A backup as files, whether it is a folder or one tar archive: read and checked the same way.
// Thread safe for distinct backups.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "common/archive/tar_stream.h"
#include "common/base/result.h"
#include "server/backup/manifest.h"

namespace hone {

// Calls `take` for each file but the manifest, with its bytes; every file is read to its end, and
// its size and hash are compared with the manifest's. invalid_argument, saying which: a backup that
// was cut short (no manifest, a file missing), a file that is another than the manifest says or
// stands in none; not_found, io_failed; what `take` fails with.
using TakeFile =
    std::function<Result<void>(const std::string& name, std::int64_t size, const TarBytes& next)>;
Result<BackupManifest> read_backup(const std::filesystem::path& backup, const TakeFile& take);

// The same, and PostgreSQL's own manifest against each file of the cluster.
Result<BackupManifest> verify_backup(const std::filesystem::path& backup);

// Everything that was written to the file system that holds the folder is on the disk. io_failed.
Result<void> sync_file_system(const std::filesystem::path& folder);

// The size and hash of a file. io_failed.
Result<BackupFile> describe_file(std::string name, const std::filesystem::path& path);

}  // namespace hone
