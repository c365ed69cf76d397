#include "build_integration/programs/program_cache.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "common/base/file.h"
#include "common/base/remove_tree.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLockName = "lock";
constexpr std::string_view kPart = ".part";

struct Entry {
  fs::path path;
  std::uint64_t bytes = 0;
  fs::file_time_type used;
};

std::uint64_t size_of(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_directory(fs::symlink_status(path, ignored))) {
    const std::uintmax_t bytes = fs::file_size(path, ignored);
    return ignored ? 0 : bytes;
  }
  std::uint64_t bytes = 0;
  for (fs::recursive_directory_iterator file(path, ignored), end; file != end;
       file.increment(ignored)) {
    if (!ignored && file->is_regular_file(ignored)) {
      bytes += file->file_size(ignored);
    }
  }
  return bytes;
}

void mark_used(const fs::path& path) {
  std::error_code ignored;  // of another user: it stays older than it is
  fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
}

Result<UniqueFd> locked(const fs::path& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) {
    return fail(ErrorCode::io_failed, "the cache " + folder.string() + ": " + failed.message());
  }
  const fs::path file = folder / kLockName;
  UniqueFd lock(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!lock) {
    return system_error(file.string(), errno);
  }
  while (flock(lock.get(), LOCK_EX) != 0) {
    if (errno != EINTR) {
      return system_error(file.string(), errno);
    }
  }
  return lock;
}

}  // namespace

Result<ProgramCache> ProgramCache::of_environment() {
  std::uint64_t bytes = kDefaultCacheBytes;
  if (const char* const text = std::getenv("HONE_PROGRAM_CACHE_MIB")) {
    std::uint64_t mib = 0;
    const char* const end = text + std::strlen(text);
    const auto parsed = std::from_chars(text, end, mib);
    if (parsed.ec != std::errc() || parsed.ptr != end || mib == 0 || mib > (1U << 24U)) {
      return fail(ErrorCode::invalid_argument, "HONE_PROGRAM_CACHE_MIB '" + std::string(text) +
                                                   "' must be a number of MiB, 1 or more");
    }
    bytes = mib << 20U;
  }
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache == '/') {
    return ProgramCache(fs::path(cache) / "hone", bytes);
  }
  const char* const home = std::getenv("HOME");
  if (home == nullptr || *home != '/') {
    return fail(ErrorCode::not_found,
                "no folder for a cache: set XDG_CACHE_HOME or HOME to an absolute path");
  }
  return ProgramCache(fs::path(home) / ".cache/hone", bytes);
}

Result<fs::path> ProgramCache::get(const std::string& name,
                                   const std::function<Result<void>(const fs::path&)>& make) {
  HONE_TRY(const UniqueFd lock, locked(folder_));
  fs::path path = folder_ / name;
  std::error_code failed;
  if (fs::exists(path, failed)) {
    mark_used(path);
    return path;
  }
  if (failed) {
    return fail(ErrorCode::io_failed, path.string() + ": " + failed.message());
  }
  fs::path part = path;
  part += kPart;
  // What an interrupted one left must not become part of this one.
  HONE_CHECK(remove_tree(part));
  if (const Result<void> made = make(part); !made) {
    remove_tree(part);
    return made.error();
  }
  fs::rename(part, path, failed);
  if (failed) {
    return fail(ErrorCode::io_failed, path.string() + ": " + failed.message());
  }
  mark_used(path);
  shrink(path);
  return path;
}

Result<void> ProgramCache::alone(const std::function<Result<void>()>& work) {
  HONE_TRY(const UniqueFd lock, locked(folder_));
  return work();
}

void ProgramCache::shrink(const fs::path& kept) const {
  std::vector<Entry> entries;
  std::uint64_t total = 0;
  std::error_code ignored;
  for (fs::directory_iterator file(folder_, ignored), end; file != end; file.increment(ignored)) {
    if (file->path().filename() != kLockName) {
      entries.push_back({file->path(), size_of(file->path()), file->last_write_time(ignored)});
      total += entries.back().bytes;
    }
  }
  std::ranges::sort(entries, {}, &Entry::used);
  for (const Entry& entry : entries) {
    if (total <= max_bytes_) {
      return;
    }
    // One that cannot be removed still takes its room: the next older ones go in its place.
    if (entry.path != kept && remove_tree(entry.path)) {
      total -= entry.bytes;
    }
  }
}

}  // namespace hone
