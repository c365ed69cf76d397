#include "server/store/artifacts/artifact_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "common/base/sha256.h"
#include "server/store/artifacts/disk_space.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

Result<void> put_in_place(const std::string& sha256, const fs::path& file, const fs::path& place) {
  const fs::path below = place.parent_path();
  std::error_code error;
  const bool made = fs::create_directory(below, error);
  if (error) {
    return disk_error("cannot make " + below.string(), error.value());
  }
  if (made) {
    HONE_CHECK(sync_folder(below.parent_path()));  // else a crash may take it with all it holds
  }
  if (::rename(file.c_str(), place.c_str()) != 0) {
    return disk_error("cannot store artifact " + sha256, errno);
  }
  return sync_folder(below);
}

Result<ArtifactContent> open_content(const std::string& sha256, const fs::path& place) {
  ArtifactContent content;
  content.file = UniqueFd(::open(place.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!content.file) {
    return errno == ENOENT ? no_artifact(sha256)
                           : system_error("cannot open " + place.string(), errno);
  }
  struct stat status{};
  if (::fstat(content.file.get(), &status) != 0) {
    return system_error("cannot open " + place.string(), errno);
  }
  content.size_bytes = status.st_size;
  return content;
}

}  // namespace

Result<std::unique_ptr<ArtifactFolder>> ArtifactFolder::open(fs::path folder) {
  HONE_CHECK(make_folder(folder));
  return std::unique_ptr<ArtifactFolder>(new ArtifactFolder(std::move(folder)));
}

Async<void> ArtifactFolder::keep(std::string sha256, fs::path file) {
  std::function<Result<void>()> work = [sha256, file = std::move(file), place = path_of(sha256)] {
    return put_in_place(sha256, file, place);
  };
  Result<void> kept = co_await run_blocking<void>(pool_.gate(), std::move(work));
  co_return kept;
}

Async<bool> ArtifactFolder::holds(std::string sha256) {
  if (!is_sha256_hex(sha256)) {
    co_return false;
  }
  co_return ::access(path_of(sha256).c_str(), R_OK) == 0;
}

Async<ArtifactContent> ArtifactFolder::read(std::string sha256) {
  if (!is_sha256_hex(sha256)) {
    co_return no_artifact(sha256);
  }
  co_return open_content(sha256, path_of(sha256));
}

Async<fs::path> ArtifactFolder::local_file(std::string sha256) {
  const Result<bool> held = co_await holds(sha256);
  HONE_CO_TRY(const bool there, held);
  if (!there) {
    co_return no_artifact(sha256);
  }
  co_return path_of(sha256);
}

Async<void> ArtifactFolder::remove(std::string sha256) {
  std::function<Result<void>()> work = [place = path_of(sha256)]() -> Result<void> {
    if (::unlink(place.c_str()) != 0 && errno != ENOENT) {
      return system_error("cannot remove " + place.string(), errno);
    }
    return {};
  };
  Result<void> removed = co_await run_blocking<void>(pool_.gate(), std::move(work));
  co_return removed;
}

}  // namespace hone
