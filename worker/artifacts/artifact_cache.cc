#include "worker/artifacts/artifact_cache.h"

#include <algorithm>
#include <vector>

#include "common/base/log.h"
#include "common/base/sha256.h"
#include "worker/artifacts/stoppable_lock.h"

namespace hone {

namespace fs = std::filesystem;

Result<void> ArtifactCache::with(const std::string& sha256, const std::stop_token& stop,
                                 const std::function<Result<void>(const fs::path&)>& use) {
  if (!is_sha256_hex(sha256)) {
    return fail(ErrorCode::invalid_argument, "'" + sha256 + "' is no SHA-256");
  }
  const std::unique_lock lock = lock_unless_stopped(mutex_, stop);
  if (!lock) {
    return fail(ErrorCode::cancelled, "stopped on request");
  }
  const fs::path file = folder_ / sha256;
  const Result<std::string> hash = sha256_file(file, stop);
  if (!hash && hash.error().code == ErrorCode::cancelled) {
    return hash.error();
  }
  if (!hash || *hash != sha256) {
    std::error_code ignored;
    fs::remove(file, ignored);
    HONE_CHECK(download(sha256, file, stop));
    log_info("artifact_downloaded", {{"sha256", sha256}});
  }
  std::error_code ignored;  // the time only says what was used last
  fs::last_write_time(file, fs::file_time_type::clock::now(), ignored);
  make_room(file);
  return use(file);
}

// A cache that is too small is no fault of the artifact's: another worker may have a larger one.
Result<void> ArtifactCache::download(const std::string& sha256, const fs::path& file,
                                     const std::stop_token& stop) {
  Result<void> got = source_.download(sha256, file, max_bytes_, stop);
  if (!got && got.error().code == ErrorCode::too_large) {
    return fail(ErrorCode::unavailable,
                got.error().message + ", all that this worker keeps (--artifact-cache-mib)");
  }
  return got;
}

void ArtifactCache::make_room(const fs::path& keep) {
  struct Kept {
    fs::file_time_type used;
    std::uint64_t bytes;
    fs::path path;
  };
  std::vector<Kept> files;
  std::uint64_t total = 0;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error)) {
    std::error_code gone;
    const std::uint64_t bytes = entry.file_size(gone);
    if (!gone) {
      files.push_back({entry.last_write_time(gone), bytes, entry.path()});
      total += bytes;
    }
  }
  std::sort(files.begin(), files.end(),
            [](const Kept& a, const Kept& b) { return a.used < b.used; });
  for (const Kept& file : files) {
    if (total <= max_bytes_) {
      return;
    }
    if (file.path != keep && fs::remove(file.path, error)) {
      total -= file.bytes;
      log_info("artifact_evicted", {{"sha256", file.path.filename().string()}});
    }
  }
}

}  // namespace hone
