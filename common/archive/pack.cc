#include "common/archive/pack.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>

#include "common/archive/entry_path.h"
#include "common/archive/secret_file.h"
#include "common/archive/utf8_locale.h"
#include "common/base/file.h"
#include "common/base/sha256.h"
#include "common/base/text.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kFixedTime = 1'700'000'000;

struct WriterEnd {
  void operator()(archive* writer) const { archive_write_free(writer); }
};
using Writer = std::unique_ptr<archive, WriterEnd>;
struct EntryEnd {
  void operator()(archive_entry* entry) const { archive_entry_free(entry); }
};
using Entry = std::unique_ptr<archive_entry, EntryEnd>;

bool is_build_folder(const fs::path& folder) {
  std::error_code ignored;  // not readable: collect() will say so
  return fs::exists(folder / "CMakeCache.txt", ignored) ||
         fs::exists(folder / ".ninja_log", ignored);
}

bool matches_any(const std::vector<std::string>& globs, const std::string& name) {
  return std::any_of(globs.begin(), globs.end(),
                     [&](const std::string& glob) { return matches_glob(glob, name); });
}

// Whether one of the names is `name` itself, or for a folder, lies in it.
bool is_wanted(const std::set<std::string, std::less<>>& names, const std::string& name,
               bool is_folder) {
  if (!is_folder) {
    return names.contains(name);
  }
  const auto first = names.lower_bound(name + "/");
  return first != names.end() && first->starts_with(name + "/");
}

class Packer {
 public:
  // Everything given must outlive the packer.
  Packer(const fs::path& folder, const fs::path& archive, const PackSelection& selection,
         const UnpackLimits& limits, const std::stop_token& stop)
      : folder_(folder), archive_(archive), selection_(selection), limits_(limits), stop_(stop) {}

  // `output`: the file being written, which may lie in the folder like an earlier archive.
  Result<void> collect(const struct stat& output) {
    std::error_code error;
    fs::recursive_directory_iterator it(folder_, error);
    for (; !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
      const std::string name = it->path().lexically_relative(folder_).generic_string();
      const std::string last = it->path().filename().string();
      struct stat about{};
      if (lstat(it->path().c_str(), &about) != 0) {
        return system_error("cannot look at " + it->path().string(), errno);
      }
      const bool is_output = about.st_dev == output.st_dev && about.st_ino == output.st_ino;
      if (is_output || it->path().lexically_normal() == archive_.lexically_normal()) {
        continue;
      }
      const bool is_folder = S_ISDIR(about.st_mode);
      const bool version_control = last == ".git" || last == ".hg" || last == ".svn";
      const bool excluded = matches_any(selection_.exclude, name);
      const bool special = !is_folder && !S_ISREG(about.st_mode) && !S_ISLNK(about.st_mode);
      if (version_control || excluded || special || (is_folder && is_build_folder(it->path()))) {
        report_.left_out.push_back(name);
        if (is_folder) {
          it.disable_recursion_pending();
        }
        continue;
      }
      if (selection_.only && !is_wanted(*selection_.only, name, is_folder)) {
        if (is_folder) {
          it.disable_recursion_pending();
        }
        continue;
      }
      names_.push_back(name);
      if (names_.size() > limits_.entries) {
        return fail(ErrorCode::too_large, folder_.string() + " holds more than " +
                                              std::to_string(limits_.entries) + " entries");
      }
    }
    if (error) {
      return system_error("cannot read " + folder_.string(), error.value());
    }
    std::sort(names_.begin(), names_.end());
    std::sort(report_.left_out.begin(), report_.left_out.end());
    return {};
  }

  Result<void> write(archive* writer) {
    for (const std::string& name : names_) {
      if (stop_.stop_requested()) {
        return fail(ErrorCode::cancelled, "packing was stopped");
      }
      const Result<void> written = write_entry(writer, name);
      if (!written) {
        return written.error().within((folder_ / name).string());
      }
    }
    return {};
  }

  PackReport take_report() { return std::move(report_); }

 private:
  Result<void> write_entry(archive* writer, const std::string& name) {
    HONE_TRY(const std::vector<std::string> parts, entry_parts(name));
    const fs::path path = folder_ / name;
    struct stat about{};
    if (lstat(path.c_str(), &about) != 0) {
      return system_error("cannot look at it", errno);
    }
    const Entry entry(archive_entry_new());
    archive_entry_set_pathname(entry.get(), name.c_str());
    archive_entry_set_mtime(entry.get(), kFixedTime, 0);
    archive_entry_set_filetype(entry.get(), about.st_mode & S_IFMT);
    archive_entry_set_perm(entry.get(),
                           S_ISDIR(about.st_mode) || (about.st_mode & 0111U) != 0 ? 0755 : 0644);
    UniqueFd file;
    if (S_ISLNK(about.st_mode)) {
      std::error_code error;
      const std::string target = fs::read_symlink(path, error).string();
      if (!link_stays_inside(target, parts.size() - 1)) {
        return fail(ErrorCode::invalid_argument,
                    "is a link to '" + target + "', which may lead outside the folder");
      }
      archive_entry_set_symlink(entry.get(), target.c_str());
    } else if (S_ISREG(about.st_mode)) {
      file = UniqueFd(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
      if (!file || fstat(file.get(), &about) != 0) {
        return system_error("cannot read it", errno);
      }
      const auto size = static_cast<std::uint64_t>(about.st_size);
      if (size > limits_.file_bytes || report_.bytes + size > limits_.total_bytes) {
        return fail(ErrorCode::too_large,
                    "takes the archive past its limit of " + std::to_string(limits_.file_bytes) +
                        " bytes a file, " + std::to_string(limits_.total_bytes) + " in all");
      }
      HONE_TRY(std::string kind, secret_in(name, file.get()));
      if (!kind.empty()) {
        report_.secrets.push_back({name, std::move(kind)});
        return {};
      }
      archive_entry_set_size(entry.get(), about.st_size);
    }
    if (archive_write_header(writer, entry.get()) < ARCHIVE_WARN) {
      return failed(writer);
    }
    ++report_.entries;
    return file ? write_content(writer, file.get(), static_cast<std::uint64_t>(about.st_size))
                : Result<void>();
  }

  // What secret an open file holds that was not asked for; empty for none.
  Result<std::string> secret_in(const std::string& name, int file) const {
    if (matches_any(selection_.secrets, name)) {
      return std::string();
    }
    std::string head(kSecretHead, '\0');
    std::size_t size = 0;
    while (size < head.size()) {
      const ssize_t got =
          pread(file, head.data() + size, head.size() - size, static_cast<off_t>(size));
      if (got < 0 && errno == EINTR) {
        continue;
      }
      if (got < 0) {
        return system_error("cannot read it", errno);
      }
      if (got == 0) {
        break;
      }
      size += static_cast<std::size_t>(got);
    }
    head.resize(size);
    return secret_kind(name, head);
  }

  Result<void> write_content(archive* writer, int file, std::uint64_t size) {
    char piece[65536];
    while (size > 0) {
      const ssize_t got = read(file, piece, std::min<std::uint64_t>(sizeof piece, size));
      if (got < 0 && errno == EINTR) {
        continue;
      }
      if (got <= 0) {
        return got < 0 ? system_error("cannot read it", errno)
                       : fail(ErrorCode::io_failed, "became shorter while it was packed");
      }
      if (archive_write_data(writer, piece, static_cast<std::size_t>(got)) < 0) {
        return failed(writer);
      }
      size -= static_cast<std::uint64_t>(got);
      report_.bytes += static_cast<std::uint64_t>(got);
    }
    return {};
  }

  static Error failed(archive* writer) {
    const char* text = archive_error_string(writer);
    return fail(ErrorCode::io_failed, text == nullptr ? "cannot be written" : text);
  }

  const fs::path& folder_;
  const fs::path& archive_;
  const PackSelection& selection_;
  const UnpackLimits& limits_;
  const std::stop_token& stop_;
  std::vector<std::string> names_;
  PackReport report_;
};

Result<void> write_archive(Packer& packer, const fs::path& target, int file) {
  const Writer writer(archive_write_new());
  archive_write_set_format_pax_restricted(writer.get());
  const bool gzip = target.string().ends_with(".gz");
  if (gzip) {
    archive_write_add_filter_gzip(writer.get());
    archive_write_set_filter_option(writer.get(), "gzip", "timestamp", nullptr);
  } else {
    archive_write_add_filter_zstd(writer.get());
  }
  if (archive_write_open_fd(writer.get(), file) != ARCHIVE_OK) {
    return fail(ErrorCode::io_failed, "cannot write " + target.string());
  }
  HONE_CHECK(packer.write(writer.get()));
  if (archive_write_close(writer.get()) != ARCHIVE_OK) {
    return fail(ErrorCode::io_failed,
                "cannot write " + target.string() + ": " + archive_error_string(writer.get()));
  }
  return {};
}

}  // namespace

Result<PackReport> pack_folder(const fs::path& folder, const fs::path& archive,
                               const PackSelection& selection, const UnpackLimits& limits,
                               const std::stop_token& stop) {
  const Utf8Locale utf8;
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    return fail(ErrorCode::not_found, "no folder " + folder.string());
  }
  std::string beside = archive.string() + ".XXXXXX";
  const UniqueFd file(mkostemp(beside.data(), O_CLOEXEC));
  if (!file) {
    return system_error("cannot write beside " + archive.string(), errno);
  }
  const auto pack = [&]() -> Result<PackReport> {
    struct stat output{};
    fstat(file.get(), &output);
    Packer packer(folder, archive, selection, limits, stop);
    HONE_CHECK(packer.collect(output));
    HONE_CHECK(write_archive(packer, archive, file.get()));
    PackReport report = packer.take_report();
    HONE_TRY(report.sha256, sha256_file(beside));
    if (fchmod(file.get(), 0644) != 0 || fsync(file.get()) != 0 ||
        rename(beside.c_str(), archive.c_str()) != 0) {
      return system_error("cannot write " + archive.string(), errno);
    }
    return report;
  };
  Result<PackReport> packed = pack();
  if (!packed) {
    unlink(beside.c_str());
  }
  return packed;
}

}  // namespace hone
