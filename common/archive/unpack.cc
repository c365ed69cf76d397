#include "common/archive/unpack.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "common/archive/entry_path.h"
#include "common/archive/utf8_locale.h"
#include "common/base/file.h"

namespace hone {
namespace {

using Parts = std::vector<std::string>;

struct ReaderEnd {
  void operator()(archive* reader) const { archive_read_free(reader); }
};
using Reader = std::unique_ptr<archive, ReaderEnd>;

std::string text_of(const char* text) {
  return text == nullptr ? "" : text;
}

class Unpacker {
 public:
  Unpacker(archive* reader, UniqueFd root, const UnpackLimits& limits,
           const std::optional<Owner>& owner, const std::stop_token& stop)
      : reader_(reader), root_(std::move(root)), limits_(limits), owner_(owner), stop_(stop) {}

  Result<UnpackReport> run() {
    while (true) {
      if (stop_.stop_requested()) {
        return fail(ErrorCode::cancelled, "unpacking was stopped");
      }
      archive_entry* entry = nullptr;
      const int status = archive_read_next_header(reader_, &entry);
      if (status == ARCHIVE_EOF) {
        return report_;
      }
      if (status < ARCHIVE_WARN) {
        return broken("after " + std::to_string(report_.entries) + " entries");
      }
      if (++report_.entries > limits_.entries) {
        return fail(ErrorCode::too_large,
                    "the archive holds more than " + std::to_string(limits_.entries) + " entries");
      }
      const std::string name = text_of(archive_entry_pathname(entry));
      const Result<void> written = write(entry, name);
      if (!written) {
        return written.error().within("entry '" + name + "'");
      }
    }
  }

 private:
  Error broken(const std::string& where) const {
    return fail(ErrorCode::invalid_argument, "the archive cannot be read " + where + ": " +
                                                 text_of(archive_error_string(reader_)));
  }

  static Error refuse(std::string reason) {
    return fail(ErrorCode::invalid_argument, std::move(reason));
  }

  Result<void> write(archive_entry* entry, const std::string& name) {
    HONE_TRY(const Parts parts, entry_parts(name));
    const char* hard_link = archive_entry_hardlink(entry);
    const auto type = archive_entry_filetype(entry);
    if (hard_link == nullptr && type != AE_IFDIR && type != AE_IFREG && type != AE_IFLNK) {
      return refuse("is a device, FIFO or socket");
    }
    if (parts.empty()) {
      return type == AE_IFDIR ? Result<void>() : refuse("has the name of the root folder");
    }
    HONE_TRY(const UniqueFd parent, enter(parts, parts.size() - 1));
    const char* last = parts.back().c_str();
    if (hard_link != nullptr) {
      return write_hard_link(hard_link, parent.get(), last);
    }
    if (type == AE_IFDIR) {
      return write_folder(entry, parent.get(), last);
    }
    // Whatever stands there goes first: nothing is ever written through an existing name.
    if (unlinkat(parent.get(), last, 0) != 0 && errno != ENOENT) {
      return errno == EISDIR || errno == EPERM ? refuse("replaces a folder")
                                               : system_error("cannot replace", errno);
    }
    if (type == AE_IFLNK) {
      return write_symbolic_link(text_of(archive_entry_symlink(entry)), parent.get(), last,
                                 parts.size() - 1);
    }
    return write_file(entry, parent.get(), last);
  }

  // Opens the folder made of the first `count` parts, making what is missing.
  Result<UniqueFd> enter(const Parts& parts, std::size_t count, bool make = true) {
    UniqueFd at(fcntl(root_.get(), F_DUPFD_CLOEXEC, 3));
    for (std::size_t i = 0; at && i < count; ++i) {
      const char* part = parts[i].c_str();
      if (make && mkdirat(at.get(), part, 0755) == 0) {
        HONE_CHECK(give(at.get(), part));
      }
      at = UniqueFd(openat(at.get(), part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    }
    if (!at) {
      return errno == ELOOP || errno == ENOTDIR ? refuse("leads through a link or a file")
             : errno == ENOENT                  ? refuse("leads through a folder that is not there")
                                                : system_error("cannot be reached", errno);
    }
    return at;
  }

  Result<void> give(int folder, const char* name) const {
    if (owner_ && fchownat(folder, name, owner_->user, owner_->group, AT_SYMLINK_NOFOLLOW) != 0) {
      return system_error("cannot change the owner", errno);
    }
    return {};
  }

  Result<void> write_folder(archive_entry* entry, int parent, const char* name) {
    if (mkdirat(parent, name, 0755) != 0 && errno != EEXIST) {
      return system_error("cannot make the folder", errno);
    }
    const UniqueFd made(openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!made) {
      return refuse("is a folder where a link or a file stands already");
    }
    HONE_CHECK(give(parent, name));
    if (fchmod(made.get(), (archive_entry_perm(entry) & 0777U) | 0700U) != 0) {
      return system_error("cannot set the mode", errno);
    }
    return {};
  }

  Result<void> write_hard_link(const std::string& target, int parent, const char* name) {
    const Result<Parts> parts = entry_parts(target);
    if (!parts || parts->empty()) {
      return refuse("is a hard link to '" + target + "', which lies outside");
    }
    HONE_TRY(const UniqueFd from, enter(*parts, parts->size() - 1, false));
    struct stat there{};
    if (fstatat(from.get(), parts->back().c_str(), &there, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(there.st_mode)) {
      return refuse("is a hard link to '" + target + "', which is no file of this archive");
    }
    unlinkat(parent, name, 0);
    if (linkat(from.get(), parts->back().c_str(), parent, name, 0) != 0) {
      return system_error("cannot make the hard link", errno);
    }
    return {};
  }

  Result<void> write_symbolic_link(const std::string& target, int parent, const char* name,
                                   std::size_t depth) {
    if (!link_stays_inside(target, depth)) {
      return refuse("is a link to '" + target + "', which may lead outside");
    }
    if (symlinkat(target.c_str(), parent, name) != 0) {
      return system_error("cannot make the link", errno);
    }
    return give(parent, name);
  }

  Result<void> write_file(archive_entry* entry, int parent, const char* name) {
    const UniqueFd file(
        openat(parent, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file) {
      return system_error("cannot create", errno);
    }
    std::uint64_t end = 0;
    if (archive_entry_size_is_set(entry) != 0) {
      // Refused before the first byte is written, where the header is honest; a hole at the end of
      // a sparse file has no block and is known from here only.
      end = static_cast<std::uint64_t>(archive_entry_size(entry));
      HONE_CHECK(within_limits(end));
    }
    while (true) {
      if (stop_.stop_requested()) {
        return fail(ErrorCode::cancelled, "unpacking was stopped");
      }
      const void* block = nullptr;
      std::size_t size = 0;
      la_int64_t offset = 0;
      const int status = archive_read_data_block(reader_, &block, &size, &offset);
      if (status == ARCHIVE_EOF) {
        break;
      }
      if (status < ARCHIVE_WARN) {
        return broken("within this entry");
      }
      end = std::max(end, static_cast<std::uint64_t>(offset) + size);
      HONE_CHECK(within_limits(end));
      HONE_CHECK(write_at(file.get(), static_cast<const char*>(block), size, offset));
    }
    report_.bytes += end;
    if (ftruncate(file.get(), static_cast<off_t>(end)) != 0) {
      return system_error("cannot set the size", errno);
    }
    // The owner comes before the mode: changing it resets bits of the mode.
    HONE_CHECK(give(parent, name));
    const timespec times[2] = {{archive_entry_mtime(entry), 0}, {archive_entry_mtime(entry), 0}};
    if (fchmod(file.get(), (archive_entry_perm(entry) & 0777U) | 0600U) != 0 ||
        futimens(file.get(), times) != 0) {
      return system_error("cannot set mode and time", errno);
    }
    return {};
  }

  // `file_bytes`: what this file holds so far; report_.bytes holds the files before it.
  Result<void> within_limits(std::uint64_t file_bytes) const {
    if (file_bytes > limits_.file_bytes) {
      return fail(ErrorCode::too_large,
                  "is larger than the limit of " + std::to_string(limits_.file_bytes) + " bytes");
    }
    if (report_.bytes + file_bytes > limits_.total_bytes) {
      return fail(ErrorCode::too_large, "takes the archive past the limit of " +
                                            std::to_string(limits_.total_bytes) + " bytes");
    }
    return {};
  }

  static Result<void> write_at(int file, const char* bytes, std::size_t size, la_int64_t offset) {
    while (size > 0) {
      const ssize_t written = pwrite(file, bytes, size, offset);
      if (written < 0) {
        if (errno == EINTR) {
          continue;
        }
        return system_error("cannot write", errno);
      }
      bytes += written;
      size -= static_cast<std::size_t>(written);
      offset += written;
    }
    return {};
  }

  archive* reader_;
  UniqueFd root_;
  const UnpackLimits& limits_;
  const std::optional<Owner>& owner_;
  const std::stop_token& stop_;
  UnpackReport report_;
};

}  // namespace

Result<UnpackReport> unpack_archive(const std::filesystem::path& archive_path,
                                    const std::filesystem::path& folder, const UnpackLimits& limits,
                                    const std::optional<Owner>& owner,
                                    const std::stop_token& stop) {
  const Utf8Locale utf8;
  UniqueFd file(open(archive_path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) {
    return system_error("cannot open " + archive_path.string(), errno);
  }
  UniqueFd root(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!root) {
    return system_error("cannot open " + folder.string(), errno);
  }
  const Reader reader(archive_read_new());
  archive_read_support_filter_gzip(reader.get());
  archive_read_support_filter_bzip2(reader.get());
  archive_read_support_filter_xz(reader.get());
  archive_read_support_filter_zstd(reader.get());
  archive_read_support_format_tar(reader.get());
  if (archive_read_open_fd(reader.get(), file.get(), 1U << 16U) != ARCHIVE_OK) {
    return fail(ErrorCode::invalid_argument,
                "not a tar archive (bare, or with gzip, bzip2, xz or zstd): " +
                    text_of(archive_error_string(reader.get())));
  }
  return Unpacker(reader.get(), std::move(root), limits, owner, stop).run();
}

}  // namespace hone
