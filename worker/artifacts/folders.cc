#include "worker/artifacts/folders.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "common/base/file.h"

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
                               const std::optional<Owner>& owner) {
  HONE_CHECK(remove_tree(folder));
  return make_folder(folder, mode, owner);
}

Result<void> remove_tree(const fs::path& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error == std::errc::permission_denied && geteuid() != 0) {
    // A job may have left folders without permission to write; those are ours when we are no root.
    std::error_code ignored;
    fs::permissions(path, fs::perms::owner_all, fs::perm_options::add, ignored);
    for (fs::recursive_directory_iterator it(path, ignored), end; !ignored && it != end;
         it.increment(ignored)) {
      if (it->is_directory(ignored) && !it->is_symlink(ignored)) {
        fs::permissions(it->path(), fs::perms::owner_all, fs::perm_options::add, ignored);
      }
    }
    fs::remove_all(path, error);
  }
  if (error) {
    return system_error("cannot remove " + path.string(), error.value());
  }
  return {};
}

Result<void> take_tree(const fs::path& folder) {
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

Result<std::string> read_job_file(const fs::path& path, std::size_t limit) {
  if (!is_job_file(path)) {
    return fail(ErrorCode::not_found, "no file " + path.string());
  }
  return read_file(path, limit);
}

}  // namespace hone
