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

// What stands at its place. One that was moved aside too late, by a honed that did not live to put
// it back, is there as well: whether it may be had is the record's to say.
Result<ArtifactContent> open_content(const std::string& sha256, const fs::path& place,
                                     const fs::path& aside) {
  ArtifactContent content;
  for (const fs::path* const path : {&place, &aside, &place}) {  // it may come back meanwhile
    content.file = UniqueFd(::open(path->c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (content.file) {
      break;
    }
    if (errno != ENOENT) {
      return system_error("cannot open " + path->string(), errno);
    }
  }
  if (!content.file) {
    return no_artifact(sha256);
  }
  struct stat status{};
  if (::fstat(content.file.get(), &status) != 0) {
    return system_error("cannot open " + place.string(), errno);
  }
  content.size_bytes = status.st_size;
  return content;
}

Error too_late(const fs::path& place) {
  return fail(ErrorCode::unavailable,
              "the removal of " + place.string() +
                  " took too long: the file was left, since it may be a new one");
}

// By two steps: of the first it is known only afterwards when it happened, the second is of a name
// that no upload takes. A content has one name and a name one content, so that nothing is mixed up
// when what was moved aside goes back.
Result<void> remove_in_time(const fs::path& place, const fs::path& aside,
                            const ArtifactFolder::Clock& now,
                            std::chrono::steady_clock::time_point until) {
  if (now() >= until) {
    return too_late(place);
  }
  HONE_CHECK(make_folder(aside.parent_path()));
  if (::rename(place.c_str(), aside.c_str()) != 0 && errno != ENOENT) {
    return system_error("cannot remove " + place.string(), errno);
  }
  if (now() >= until) {
    if (::rename(aside.c_str(), place.c_str()) != 0 && errno != ENOENT) {
      return system_error("cannot put " + aside.string() + " back", errno);
    }
    HONE_CHECK(sync_folder(place.parent_path()));
    return too_late(place);
  }
  if (::unlink(aside.c_str()) != 0 && errno != ENOENT) {
    return system_error("cannot remove " + aside.string(), errno);
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<ArtifactFolder>> ArtifactFolder::open(fs::path folder, Clock now) {
  HONE_CHECK(make_folder(folder));
  return std::unique_ptr<ArtifactFolder>(new ArtifactFolder(std::move(folder), std::move(now)));
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
  co_return ::access(path_of(sha256).c_str(), R_OK) == 0 ||
      ::access(aside_of(sha256).c_str(), R_OK) == 0;
}

Async<ArtifactContent> ArtifactFolder::read(std::string sha256) {
  if (!is_sha256_hex(sha256)) {
    co_return no_artifact(sha256);
  }
  co_return open_content(sha256, path_of(sha256), aside_of(sha256));
}

Async<fs::path> ArtifactFolder::local_file(std::string sha256) {
  if (!is_sha256_hex(sha256)) {
    co_return no_artifact(sha256);
  }
  fs::path path = path_of(sha256);
  if (::access(path.c_str(), R_OK) != 0) {
    path = aside_of(sha256);
    if (::access(path.c_str(), R_OK) != 0) {
      co_return no_artifact(sha256);
    }
  }
  co_return path;
}

Async<void> ArtifactFolder::remove(std::string sha256,
                                   std::chrono::steady_clock::time_point until) {
  std::function<Result<void>()> work = [place = path_of(sha256), aside = aside_of(sha256),
                                        now = now_,
                                        until] { return remove_in_time(place, aside, now, until); };
  Result<void> removed = co_await run_blocking<void>(pool_.gate(), std::move(work));
  co_return removed;
}

}  // namespace hone
