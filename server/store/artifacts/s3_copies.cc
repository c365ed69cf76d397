// Copies of a bucket's artifacts, for programs that take a path; the least recently used go first.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "common/base/file.h"
#include "common/base/sha256.h"
#include "common/base/token.h"
#include "server/store/artifacts/disk_space.h"
#include "server/store/artifacts/s3_core.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

}  // namespace

Result<void> S3Artifacts::Core::download(const std::string& sha256, std::int64_t size,
                                         const fs::path& place) {
  const UniqueFd file(::open(place.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file) {
    return disk_error("cannot write " + place.string(), errno);
  }
  Sha256 hash;
  for (std::int64_t at = 0; at < size;) {
    HONE_TRY(const std::string piece, range(sha256, at, std::min(options.range_bytes, size - at)));
    if (::pwrite(file.get(), piece.data(), piece.size(), at) !=
        static_cast<ssize_t>(piece.size())) {
      return disk_error("cannot write " + place.string(), errno);
    }
    hash.update(piece);
    at += static_cast<std::int64_t>(piece.size());
  }
  if (hash.finish() != sha256) {
    return fail(ErrorCode::unavailable,
                client.location().describe() + " gave artifact " + sha256 +
                    " with another content: remove it there, and upload it again");
  }
  return {};
}

Result<fs::path> S3Artifacts::Core::copy(const std::string& sha256) {
  const std::lock_guard lock(copying);
  fs::path place = options.copies / sha256;
  std::error_code error;
  if (fs::exists(place, error)) {
    fs::last_write_time(place, fs::file_time_type::clock::now(), error);
    return place;
  }
  HONE_TRY(const std::int64_t size, size_of(sha256));
  if (size < 0) {
    return no_artifact(sha256);
  }
  make_room(size, place);
  HONE_CHECK(check_room(options.copies, size, options.reserve_bytes));
  const fs::path part = options.copies / ("part." + random_hex(8));
  Result<void> got = download(sha256, size, part);
  if (got && ::rename(part.c_str(), place.c_str()) != 0) {
    got = disk_error("cannot write " + place.string(), errno);
  }
  if (!got) {
    fs::remove(part, error);
    return got.error();
  }
  return place;
}

void S3Artifacts::Core::make_room(std::int64_t wanted, const fs::path& keep) {
  struct Copy {
    fs::file_time_type used;
    std::int64_t bytes;
    fs::path path;
  };
  std::vector<Copy> copies;
  std::int64_t total = wanted;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(options.copies, error)) {
    std::error_code gone;
    const auto bytes = static_cast<std::int64_t>(entry.file_size(gone));
    if (!gone) {
      copies.push_back({entry.last_write_time(gone), bytes, entry.path()});
      total += bytes;
    }
  }
  std::ranges::sort(copies, {}, &Copy::used);
  for (const Copy& copy : copies) {
    if (total <= options.copies_bytes) {
      return;
    }
    if (copy.path != keep && fs::remove(copy.path, error)) {
      total -= copy.bytes;
    }
  }
}

}  // namespace hone
