#include "server/backup/backup_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <optional>
#include <system_error>
#include <vector>

#include <nlohmann/json.hpp>

#include "common/base/file.h"
#include "common/base/sha256.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPiece = std::size_t{1} << 18U;

Error broken(const fs::path& backup, const std::string& why) {
  return fail(ErrorCode::invalid_argument, "the backup " + backup.string() + " is no good: " + why);
}

// The bytes of `next`, counted and hashed on their way.
class Hashed {
 public:
  explicit Hashed(const TarBytes& next) : next_(next) {}

  Result<std::string_view> read() {
    HONE_TRY(const std::string_view bytes, next_());
    hash_.update(bytes);
    count_ += static_cast<std::int64_t>(bytes.size());
    return bytes;
  }

  Result<BackupFile> finish(std::string name) {
    while (true) {
      HONE_TRY(const std::string_view rest, read());
      if (rest.empty()) {
        return BackupFile{std::move(name), count_, hash_.finish()};
      }
    }
  }

 private:
  const TarBytes& next_;
  Sha256 hash_;
  std::int64_t count_ = 0;
};

Result<std::string> read_all(const TarBytes& next, std::size_t limit) {
  std::string text;
  while (true) {
    HONE_TRY(const std::string_view bytes, next());
    if (bytes.empty()) {
      return text;
    }
    text += bytes;
    if (text.size() > limit) {
      return fail(ErrorCode::too_large, "more than " + std::to_string(limit) + " bytes");
    }
  }
}

Result<void> read_folder(const fs::path& folder, const TakeFile& take) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error);
       !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
    std::error_code ignored;
    if (it->is_symlink(ignored) || (!it->is_directory(ignored) && !it->is_regular_file(ignored))) {
      return broken(folder, it->path().string() + " is neither file nor folder");
    }
    if (it->is_regular_file(ignored)) {
      paths.push_back(it->path());
    }
  }
  if (error) {
    return system_error("cannot read " + folder.string(), error.value());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<char> piece(kPiece);
  for (const fs::path& path : paths) {
    const UniqueFd file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (!file) {
      return system_error("cannot read " + path.string(), errno);
    }
    const TarBytes next = [&]() -> Result<std::string_view> {
      while (true) {
        const ssize_t got = ::read(file.get(), piece.data(), piece.size());
        if (got >= 0) {
          return std::string_view(piece.data(), static_cast<std::size_t>(got));
        }
        if (errno != EINTR) {
          return system_error("cannot read " + path.string(), errno);
        }
      }
    };
    const auto size = static_cast<std::int64_t>(fs::file_size(path, error));
    HONE_CHECK(take(path.lexically_relative(folder).generic_string(), size, next));
  }
  return {};
}

// SHA-256 of each file that PostgreSQL's manifest names.
Result<std::map<std::string, std::string>> cluster_hashes(std::string_view text) {
  HONE_TRY(const Json document, parse_json(text, {.bytes = kMaxManifestBytes}));
  std::map<std::string, std::string> hashes;
  const auto files = document.is_object() ? document.find("Files") : document.end();
  if (files == document.end() || !files->is_array()) {
    return fail(ErrorCode::invalid_argument, "backup_manifest names no files");
  }
  for (const Json& file : *files) {
    // A name that is not UTF-8 has another key; there is none in a cluster of ours.
    const auto path = file.find("Path");
    const auto algorithm = file.find("Checksum-Algorithm");
    const auto checksum = file.find("Checksum");
    if (path == file.end() || checksum == file.end() || algorithm == file.end() ||
        *algorithm != Json("SHA256") || !path->is_string() || !checksum->is_string()) {
      return fail(ErrorCode::invalid_argument, "backup_manifest has a file without SHA-256");
    }
    hashes.emplace(path->get<std::string>(), checksum->get<std::string>());
  }
  return hashes;
}

}  // namespace

Result<void> sync_file_system(const fs::path& folder) {
  const UniqueFd file(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!file || ::syncfs(file.get()) != 0) {
    return system_error("cannot write " + folder.string() + " to the disk", errno);
  }
  return {};
}

Result<BackupFile> describe_file(std::string name, const fs::path& path) {
  std::error_code error;
  BackupFile file;
  file.name = std::move(name);
  file.bytes = static_cast<std::int64_t>(fs::file_size(path, error));
  if (error) {
    return system_error("cannot look at " + path.string(), error.value());
  }
  HONE_TRY(file.sha256, sha256_file(path));
  return file;
}

Result<BackupManifest> read_backup(const fs::path& backup, const TakeFile& take) {
  std::map<std::string, BackupFile> found;
  std::optional<std::string> manifest_text;
  const TakeFile one = [&](const std::string& name, std::int64_t size,
                           const TarBytes& next) -> Result<void> {
    if (name == kManifestFile) {
      HONE_TRY(manifest_text, read_all(next, kMaxManifestBytes));
      return {};
    }
    Hashed hashed(next);
    const TarBytes reading = [&] { return hashed.read(); };
    HONE_CHECK(take(name, size, reading));
    HONE_TRY(BackupFile file, hashed.finish(name));
    if (!found.emplace(name, std::move(file)).second) {
      return broken(backup, name + " stands in it twice");
    }
    return {};
  };
  std::error_code error;
  const bool folder = fs::is_directory(backup, error);
  if (!folder && !fs::exists(backup, error)) {
    return fail(ErrorCode::not_found, "there is no backup " + backup.string());
  }
  HONE_CHECK(folder ? read_folder(backup, one) : read_tar(backup, one));
  if (!manifest_text) {
    return broken(backup, "it was cut short: it has no " + std::string(kManifestFile) +
                              ", which is written last");
  }
  Result<BackupManifest> manifest = parse_manifest(*manifest_text);
  if (!manifest) {
    return manifest.error().within("the backup " + backup.string());
  }
  for (const BackupFile& file : manifest->files) {
    const auto here = found.find(file.name);
    if (here == found.end()) {
      return broken(backup, file.name + " is missing");
    }
    if (here->second.bytes != file.bytes) {
      return broken(backup, file.name + " has " + std::to_string(here->second.bytes) +
                                " bytes, and " + std::to_string(file.bytes) + " when it was made");
    }
    if (here->second.sha256 != file.sha256) {
      return broken(backup, file.name + " has another content than when it was made");
    }
    found.erase(here);
  }
  if (!found.empty()) {
    return broken(backup, found.begin()->first + " stands in it, but not in its manifest");
  }
  return manifest;
}

Result<BackupManifest> verify_backup(const fs::path& backup) {
  std::string cluster_manifest;
  std::map<std::string, std::string> seen;
  const TakeFile of_cluster = [&](const std::string& name, std::int64_t,
                                  const TarBytes& next) -> Result<void> {
    Hashed hashed(next);
    HONE_TRY(BackupFile file, hashed.finish(name));
    seen.emplace(name, std::move(file.sha256));
    return {};
  };
  const TakeFile take = [&](const std::string& name, std::int64_t,
                            const TarBytes& next) -> Result<void> {
    if (name == kBaseFile) {
      return read_tar(next, std::string(kBaseFile), of_cluster);
    }
    if (name == kClusterManifest) {
      HONE_TRY(cluster_manifest, read_all(next, kMaxManifestBytes));
    }
    return {};
  };
  HONE_TRY(BackupManifest manifest, read_backup(backup, take));
  const Result<std::map<std::string, std::string>> wanted = cluster_hashes(cluster_manifest);
  if (!wanted) {
    return broken(backup, wanted.error().message);
  }
  for (const auto& [name, sha256] : *wanted) {
    const auto found = seen.find(name);
    if (found == seen.end() || found->second != sha256) {
      return broken(backup, "the cluster's file " + name +
                                (found == seen.end() ? " is missing" : " has another content"));
    }
  }
  return manifest;
}

}  // namespace hone
