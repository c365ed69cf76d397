#include "server/disk_guard.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "common/base/file.h"
#include "common/base/log.h"
#include "server/store/artifacts/disk_space.h"

namespace hone {
namespace {

namespace asio = boost::asio;

constexpr std::string_view kBallast = "ballast";

class Ballast {
 public:
  Ballast(const std::filesystem::path& folder, std::int64_t bytes)
      : path_(folder / kBallast), bytes_(bytes) {
    std::error_code error;
    there_ = std::filesystem::exists(path_, error);
  }

  void take() {
    if (there_) {
      return;
    }
    const UniqueFd file(::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    const int refused = file ? ::posix_fallocate(file.get(), 0, bytes_) : errno;
    there_ = refused == 0;
    if (!there_) {
      ::unlink(path_.c_str());
      if (!told_) {
        log_warning("no_ballast",
                    {{"reason", system_error("cannot make " + path_.string(), refused).message}});
      }
      told_ = true;
    }
  }
  void drop() {
    if (there_ && ::unlink(path_.c_str()) == 0) {
      there_ = false;
    }
  }
  bool there() const { return there_; }

 private:
  std::filesystem::path path_;
  std::int64_t bytes_;
  bool there_ = false;
  bool told_ = false;
};

}  // namespace

std::int64_t kept_from_uploads(const std::filesystem::path& uploads,
                               const DiskGuardOptions& options) {
  // The folder may be about to be made: then it is on the disk of what is above it.
  std::filesystem::path there = uploads;
  struct stat one{};
  struct stat other{};
  while (::stat(there.c_str(), &one) != 0) {
    if (!there.has_relative_path()) {
      return 0;
    }
    there = there.parent_path();
  }
  if (::stat(options.folder.c_str(), &other) != 0 || one.st_dev != other.st_dev) {
    return 0;
  }
  return options.least_bytes + options.ballast_bytes + options.least_bytes / 3;
}

asio::awaitable<void> guard_disk(Store& store, Background& background, DiskGuardOptions options) {
  Ballast ballast(options.folder, options.ballast_bytes);
  bool full = false;
  bool told = false;
  while (!background.stopping()) {
    const Result<DiskSpace> space = disk_space(options.folder);
    if (!space && !told) {
      log_warning("disk_unknown", {{"reason", space.error().message}});
      told = true;
    }
    // What the ballast gave back is no room to go on writing with.
    const std::int64_t given = ballast.there() ? 0 : options.ballast_bytes;
    const std::int64_t free = space ? space->free_bytes - given : options.least_bytes;
    if (!full && space && space->free_bytes < options.least_bytes) {
      full = true;
      ballast.drop();
      store.set_read_only(true);
      log_error("disk_full",
                {{"folder", options.folder.string()},
                 {"free_bytes", space->free_bytes},
                 {"advice", "nothing is written to the database until there is more room"}});
    } else if (full && free >= options.least_bytes) {
      full = false;
      store.set_read_only(false);
      log_info("disk_has_room", {{"free_bytes", space ? space->free_bytes : 0}});
    }
    if (!full && space && space->free_bytes >= 2 * options.least_bytes + options.ballast_bytes) {
      ballast.take();
    }
    co_await background.sleep(options.interval);
  }
}

}  // namespace hone
