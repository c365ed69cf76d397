#include "worker/artifacts/folders.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "common/base/remove_tree.h"

namespace hone {

namespace fs = std::filesystem;

Result<void> make_folder(const fs::path& folder, mode_t mode, const std::optional<Owner>& owner) {
  if (mkdir(folder.c_str(), mode) != 0 && errno != EEXIST) {
    return system_error("cannot make folder " + folder.string(), errno);
  }
  struct stat about{};
  if (lstat(folder.c_str(), &about) != 0 || !S_ISDIR(about.st_mode)) {
    return fail(ErrorCode::conflict, folder.string() + " is no folder");
  }
  if (owner && lchown(folder.c_str(), owner->user, owner->group) != 0) {
    return system_error("cannot give away " + folder.string(), errno);
  }
  // After mkdir, since the umask took its bits; a folder of ours only.
  if (chmod(folder.c_str(), mode) != 0) {
    return system_error("cannot set the mode of " + folder.string(), errno);
  }
  return {};
}

Result<void> make_empty_folder(const fs::path& folder, mode_t mode,
                               const std::optional<Owner>& owner, const std::stop_token& stop) {
  HONE_CHECK(remove_tree(folder, stop));
  return make_folder(folder, mode, owner);
}

bool is_folder_of(const fs::path& folder, const std::optional<Owner>& owner) {
  struct stat about{};
  return lstat(folder.c_str(), &about) == 0 && S_ISDIR(about.st_mode) &&
         about.st_uid == (owner ? owner->user : geteuid());
}

Result<void> keep_folder(const fs::path& folder, mode_t mode, const std::optional<Owner>& owner,
                         const std::stop_token& stop) {
  return is_folder_of(folder, owner) ? make_folder(folder, mode, owner)
                                     : make_empty_folder(folder, mode, owner, stop);
}

Result<void> take_tree(const fs::path& folder, const std::stop_token& stop) {
  const auto take = [](const fs::path& path) -> Result<void> {
    struct stat about{};
    if (lstat(path.c_str(), &about) != 0 || lchown(path.c_str(), geteuid(), getegid()) != 0) {
      return system_error("cannot take " + path.string(), errno);
    }
    if (!S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode)) {
      return {};
    }
    // Ours by now, so that nobody can put a link in its place between the calls.
    const bool runs = S_ISDIR(about.st_mode) || (about.st_mode & 0111U) != 0;
    if (chmod(path.c_str(), runs ? 0755 : 0644) != 0) {
      return system_error("cannot set the mode of " + path.string(), errno);
    }
    return {};
  };
  HONE_CHECK(take(folder));
  std::error_code error;
  fs::recursive_directory_iterator it(folder, error);
  for (; !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
    if (stop.stop_requested()) {
      return fail(ErrorCode::cancelled, "stopped on request while taking " + folder.string());
    }
    HONE_CHECK(take(it->path()));
  }
  if (error) {
    return system_error("cannot read " + folder.string(), error.value());
  }
  return {};
}

bool is_job_file(const fs::path& path) {
  std::error_code error;
  return fs::symlink_status(path, error).type() == fs::file_type::regular;
}

Result<UniqueFd> open_job_file(const fs::path& folder, const std::string& name) {
  const Error none = fail(ErrorCode::not_found, "no file " + name + " in " + folder.string());
  std::error_code error;
  const fs::path top = fs::canonical(folder, error);
  const fs::path real = error ? fs::path() : fs::canonical(folder / name, error);
  const fs::path below = real.lexically_relative(top);
  if (error || below.empty() || *below.begin() == "..") {
    return none;
  }
  const UniqueFd above(open(top.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  open_how how{};
  how.flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
  UniqueFd file(
      static_cast<int>(syscall(SYS_openat2, above.get(), below.c_str(), &how, sizeof how)));
  struct stat about{};
  if (!file || fstat(file.get(), &about) != 0 || !S_ISREG(about.st_mode)) {
    return none;
  }
  return file;
}

fs::path path_of(const UniqueFd& file) {
  return "/proc/self/fd/" + std::to_string(file.get());
}

Result<std::string> read_job_file(const fs::path& path, std::size_t limit) {
  if (!is_job_file(path)) {
    return fail(ErrorCode::not_found, "no file " + path.string());
  }
  return read_file(path, limit);
}

}  // namespace hone
