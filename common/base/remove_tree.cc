#include "common/base/remove_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/file.h"

namespace hone {
namespace {

// Names read at once: a folder of millions of files is taken in parts.
constexpr std::size_t kPart = 65536;

class Remover {
 public:
  Remover(std::filesystem::path path, std::stop_token stop)
      : path_(std::move(path)), stop_(std::move(stop)) {}

  Result<void> run() {
    bool is_folder = false;
    HONE_CHECK(remove_one(AT_FDCWD, path_.string(), is_folder));
    if (!is_folder) {
      return {};
    }
    HONE_TRY(const UniqueFd top, open_folder(AT_FDCWD, path_.string()));
    while (true) {
      HONE_TRY(const std::vector<std::string> names, names_in(top.get()));
      for (const std::string& name : names) {
        HONE_CHECK(remove_below(top.get(), name));
      }
      if (names.empty()) {
        break;
      }
    }
    return rmdir(path_.c_str()) == 0 ? Result<void>() : trouble(path_.string(), errno);
  }

 private:
  Error trouble(std::string_view name, int reason) const {
    return system_error("cannot remove " + std::string(name) + " of " + path_.string(), reason);
  }

  // Removes a file or an empty folder; whether a folder with something in it remains.
  Result<void> remove_one(int folder, const std::string& name, bool& remains) const {
    remains = false;
    if (stop_.stop_requested()) {
      return fail(ErrorCode::cancelled, "stopped on request while removing " + path_.string());
    }
    if (unlinkat(folder, name.c_str(), 0) == 0 || errno == ENOENT) {
      return {};
    }
    const int reason = errno;  // EISDIR, or a real one
    if (unlinkat(folder, name.c_str(), AT_REMOVEDIR) == 0) {
      return {};
    }
    // EACCES and EPERM: of the folder above perhaps, or of this one's content.
    remains = errno == ENOTEMPTY || errno == EEXIST;
    return remains ? Result<void>() : trouble(name, errno == ENOTDIR ? reason : errno);
  }

  Result<UniqueFd> open_folder(int above, const std::string& name) const {
    if (geteuid() != 0) {
      // Ours to open up; where it is not, the next calls say so.
      fchmodat(above, name.c_str(), 0700, 0);
    }
    UniqueFd folder(openat(above, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!folder) {
      return trouble(name, errno);
    }
    return folder;
  }

  // At most kPart names.
  Result<std::vector<std::string>> names_in(int folder) const {
    const int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const std::unique_ptr<DIR, int (*)(DIR*)> stream(again < 0 ? nullptr : fdopendir(again),
                                                     &closedir);
    if (!stream) {
      return trouble(".", errno);
    }
    std::vector<std::string> names;
    errno = 0;
    for (const dirent* entry = nullptr;
         names.size() < kPart && (entry = readdir(stream.get())) != nullptr;) {
      const std::string_view name = entry->d_name;
      if (name != "." && name != "..") {
        names.emplace_back(name);
      }
    }
    if (names.empty() && errno != 0) {
      return trouble(".", errno);
    }
    return names;
  }

  Result<void> remove_below(int top, const std::string& name) {
    bool remains = false;
    HONE_CHECK(remove_one(top, name, remains));
    if (!remains) {
      return {};
    }
    HONE_TRY(const UniqueFd folder, open_folder(top, name));
    while (true) {
      HONE_TRY(const std::vector<std::string> names, names_in(folder.get()));
      if (names.empty()) {
        break;
      }
      for (const std::string& inner : names) {
        HONE_CHECK(remove_one(folder.get(), inner, remains));
        if (remains) {
          HONE_CHECK(move_up(folder.get(), inner, top));
        }
      }
    }
    return remove_one(top, name, remains);
  }

  Result<void> move_up(int folder, const std::string& name, int top) {
    if (geteuid() != 0) {
      fchmodat(folder, name.c_str(), 0700, 0);  // its ".." is about to change
    }
    while (true) {
      const std::string place = ".hone-remove-" + std::to_string(++moved_);
      if (renameat2(folder, name.c_str(), top, place.c_str(), RENAME_NOREPLACE) == 0) {
        return {};
      }
      if (errno != EEXIST) {
        return trouble(name, errno);
      }
    }
  }

  std::filesystem::path path_;
  std::stop_token stop_;
  unsigned long moved_ = 0;
};

}  // namespace

Result<void> remove_tree(const std::filesystem::path& path, const std::stop_token& stop) {
  return Remover(path, stop).run();
}

}  // namespace hone
