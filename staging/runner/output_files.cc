#include "staging/runner/output_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <set>
#include <string_view>

#include "common/base/file.h"
#include "common/base/text.h"

namespace hone {
namespace {

// Of a pattern with '*' or '?', what is looked at to find its files.
constexpr std::size_t kMaxEntries = 4096;
constexpr std::size_t kMaxPath = 512;
constexpr int kMaxDepth = 32;

constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

// Nothing of this machine's is to blame for other reasons: the program closed the file, say.
bool is_machines(int reason) {
  return reason == EMFILE || reason == ENFILE || reason == ENOMEM || reason == EIO;
}

Error cannot_read(const std::string& name, int reason) {
  if (is_machines(reason)) {
    return system_error("cannot read '" + name + "'", reason);
  }
  return fail(ErrorCode::invalid_argument,
              "wrote '" + name + "', which cannot be read: " + std::strerror(reason));
}

const char* kind_of(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFLNK:
      return "a symbolic link, which is not followed";
    case S_IFDIR:
      return "a folder, not a file";
    case S_IFIFO:
      return "a FIFO, which is not read";
    case S_IFSOCK:
      return "a socket, which is not read";
    default:
      return "a device, which is not read";
  }
}

bool is_glob(std::string_view pattern) {
  return pattern.find_first_of("*?") != std::string_view::npos;
}

// A name in an open folder.
struct Place {
  UniqueFd folder;
  std::string leaf;
};

// Where the path leads without a link on the way; nothing if there is no such folder.
Result<std::optional<Place>> find_place(int top, const std::string& path) {
  UniqueFd folder(openat(top, ".", kFolder));
  int reason = errno;
  const std::vector<std::string_view> parts = split(path, '/');
  for (std::size_t i = 0; folder && i + 1 < parts.size(); ++i) {
    UniqueFd next(openat(folder.get(), std::string(parts[i]).c_str(), kFolder));
    reason = errno;
    folder = std::move(next);
  }
  if (folder) {
    return std::optional<Place>(Place{std::move(folder), std::string(parts.back())});
  }
  if (reason == ENOENT) {
    return std::optional<Place>();
  }
  if (reason == ENOTDIR || reason == ELOOP) {
    return fail(ErrorCode::invalid_argument,
                "has a link or a file in the place of a folder of '" + path + "'");
  }
  return cannot_read(path, reason);
}

// Walks what one glob may match.
class Search {
 public:
  Search(const std::string& pattern, std::set<std::string>& found)
      : pattern_(pattern), found_(found) {}

  Result<void> run(int top) {
    // What stands before the first wildcard needs no search.
    const std::size_t slash = pattern_.substr(0, pattern_.find_first_of("*?")).rfind('/');
    const std::string start = slash == std::string::npos ? "" : pattern_.substr(0, slash + 1);
    HONE_TRY(const std::optional<Place> place, find_place(top, start + "."));
    return place ? walk(place->folder.get(), ".", start, 0) : Result<void>();
  }

 private:
  // What lies in folder `leaf` of the open folder `above`.
  Result<void> walk(int above, const std::string& leaf, const std::string& prefix, int depth) {
    const int folder = openat(above, leaf.c_str(), kFolder);
    if (folder < 0) {
      return cannot_read(prefix, errno);
    }
    const std::unique_ptr<DIR, int (*)(DIR*)> stream(fdopendir(folder), &closedir);
    if (!stream) {
      const int reason = errno;
      close(folder);
      return cannot_read(prefix, reason);
    }
    errno = 0;
    while (const dirent* const entry = readdir(stream.get())) {
      const std::string name = entry->d_name;
      if (name != "." && name != "..") {
        HONE_CHECK(visit(folder, name, prefix + name, depth));
      }
      errno = 0;
    }
    return errno == 0 ? Result<void>() : cannot_read(prefix, errno);
  }

  Result<void> visit(int folder, const std::string& leaf, const std::string& path, int depth) {
    if (++entries_ > kMaxEntries) {
      return fail(ErrorCode::too_large, "holds more than " + std::to_string(kMaxEntries) +
                                            " files and folders to search for '" + pattern_ + "'");
    }
    struct stat status{};
    if (fstatat(folder, leaf.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
      return cannot_read(path, errno);
    }
    if (!S_ISDIR(status.st_mode)) {
      if (matches_glob(pattern_, path)) {
        found_.insert(path);
      }
      return {};
    }
    if (depth >= kMaxDepth || path.size() > kMaxPath) {
      return fail(ErrorCode::too_large,
                  "nests folders too deep to search them for '" + pattern_ + "'");
    }
    return walk(folder, leaf, path + "/", depth + 1);
  }

  const std::string& pattern_;
  std::set<std::string>& found_;
  std::size_t entries_ = 0;
};

// The file, open, and its size; nothing else is ever opened, so that nothing is waited for.
Result<UniqueFd> open_output(int top, const std::string& name, uid_t owner, std::uint64_t& bytes) {
  HONE_TRY(const std::optional<Place> place, find_place(top, name));
  if (!place) {
    return cannot_read(name, ENOENT);
  }
  struct stat seen{};
  if (fstatat(place->folder.get(), place->leaf.c_str(), &seen, AT_SYMLINK_NOFOLLOW) != 0) {
    return cannot_read(name, errno);
  }
  if (!S_ISREG(seen.st_mode)) {
    return fail(ErrorCode::invalid_argument, "wrote '" + name + "' as " + kind_of(seen.st_mode));
  }
  if (seen.st_uid != owner) {
    return fail(ErrorCode::invalid_argument,
                "wrote '" + name + "', which is another user's file, a link to it perhaps");
  }
  UniqueFd file(openat(place->folder.get(), place->leaf.c_str(),
                       O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file) {
    return cannot_read(name, errno);
  }
  struct stat opened{};
  if (fstat(file.get(), &opened) != 0 || opened.st_dev != seen.st_dev ||
      opened.st_ino != seen.st_ino) {
    return fail(ErrorCode::invalid_argument, "still changes '" + name + "'");
  }
  bytes = static_cast<std::uint64_t>(opened.st_size);
  return file;
}

}  // namespace

Result<std::vector<std::string>> find_output_files(int folder,
                                                   const std::vector<std::string>& patterns) {
  std::set<std::string> found;
  for (const std::string& pattern : patterns) {
    if (is_glob(pattern)) {
      HONE_CHECK(Search(pattern, found).run(folder));
      continue;
    }
    HONE_TRY(const std::optional<Place> place, find_place(folder, pattern));
    struct stat status{};
    if (place &&
        fstatat(place->folder.get(), place->leaf.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) {
      found.insert(pattern);
    }
  }
  if (found.size() > kMaxOutputFiles) {
    return fail(ErrorCode::too_large, "wrote " + std::to_string(found.size()) + " files, " +
                                          std::to_string(kMaxOutputFiles) + " can be compared");
  }
  return std::vector<std::string>(found.begin(), found.end());
}

Result<std::vector<WrittenOutput>> read_output_files(int folder,
                                                     const std::vector<std::string>& patterns,
                                                     uid_t owner, KeptText& kept) {
  HONE_TRY(const std::vector<std::string> names, find_output_files(folder, patterns));
  std::vector<WrittenOutput> outputs;
  std::uint64_t room = kMaxOutputFileBytes;
  for (const std::string& name : names) {
    std::uint64_t bytes = 0;
    HONE_TRY(const UniqueFd file, open_output(folder, name, owner, bytes));
    if (bytes > room) {
      return fail(ErrorCode::too_large, "wrote files of more than " +
                                            std::to_string(kMaxOutputFileBytes >> 20U) +
                                            " MiB that are to be compared");
    }
    room -= bytes;
    HONE_TRY(WrittenOutput output, read_written(OutputKind::file, name, file.get(), bytes, kept));
    outputs.push_back(std::move(output));
  }
  return outputs;
}

Result<void> remove_output_files(int folder, const std::vector<std::string>& patterns) {
  HONE_TRY(const std::vector<std::string> names, find_output_files(folder, patterns));
  for (const std::string& name : names) {
    HONE_TRY(const std::optional<Place> place, find_place(folder, name));
    if (place && unlinkat(place->folder.get(), place->leaf.c_str(), 0) != 0) {
      return system_error("cannot remove '" + name + "'", errno);
    }
  }
  return {};
}

}  // namespace hone
