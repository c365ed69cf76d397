#include "common/archive/tar_stream.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <vector>

#include "common/archive/entry_path.h"
#include "common/archive/utf8_locale.h"
#include "common/base/file.h"
#include "common/base/text.h"

namespace hone {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 18U;

struct EntryEnd {
  void operator()(archive_entry* entry) const { archive_entry_free(entry); }
};
using Entry = std::unique_ptr<archive_entry, EntryEnd>;

struct ReaderEnd {
  void operator()(archive* reader) const { archive_read_free(reader); }
};

Error archive_error(const std::string& what, archive* of) {
  const int reason = archive_errno(of);
  if (reason == ENOSPC || reason == EDQUOT || reason == EIO) {
    return system_error(what, reason);
  }
  const char* text = archive_error_string(of);
  return fail(ErrorCode::io_failed, what + ": " + (text == nullptr ? "unknown reason" : text));
}

using Reader = std::unique_ptr<archive, ReaderEnd>;

Reader make_reader() {
  Reader reader(archive_read_new());
  archive_read_support_format_tar(reader.get());
  archive_read_support_filter_all(reader.get());
  return reader;
}

Error broken(archive* reader, const std::string& what) {
  const char* text = archive_error_string(reader);
  return fail(ErrorCode::invalid_argument,
              what + (text == nullptr ? std::string() : ": " + std::string(text)));
}

Result<void> read_entries(archive* reader, const std::string& what, const TakeTarFile& take) {
  std::vector<char> piece(kPiece);
  archive_entry* entry = nullptr;
  while (true) {
    const int status = archive_read_next_header(reader, &entry);
    if (status == ARCHIVE_EOF) {
      return {};
    }
    if (status != ARCHIVE_OK) {
      return broken(reader, what + " is no whole tar archive");
    }
    if (archive_entry_filetype(entry) == AE_IFDIR) {
      continue;
    }
    const char* given = archive_entry_pathname(entry);
    if (archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry) != nullptr ||
        given == nullptr) {
      return broken(reader, what + " holds something else than files and folders");
    }
    HONE_TRY(const std::vector<std::string> parts, entry_parts(given));
    const TarBytes next = [&]() -> Result<std::string_view> {
      const la_ssize_t got = archive_read_data(reader, piece.data(), piece.size());
      if (got < 0) {
        return broken(reader, what + " is cut short or broken");
      }
      return std::string_view(piece.data(), static_cast<std::size_t>(got));
    };
    HONE_CHECK(take(join(parts, "/"), archive_entry_size(entry), next));
  }
}

// Where libarchive gets bytes of ours.
struct Source {
  const TarBytes& next;
  Result<void> failed;
};

la_ssize_t read_source(archive* reader, void* data, const void** buffer) {
  auto* const source = static_cast<Source*>(data);
  const Result<std::string_view> bytes = source->next();
  if (!bytes) {
    source->failed = bytes.error();
    archive_set_error(reader, EIO, "%s", bytes.error().message.c_str());
    return ARCHIVE_FATAL;
  }
  *buffer = bytes->data();
  return static_cast<la_ssize_t>(bytes->size());
}

}  // namespace

struct TarWriter::State {
  std::filesystem::path path;
  UniqueFd file;
  archive* writer = nullptr;
  Utf8Locale locale;

  ~State() {
    if (writer != nullptr) {
      archive_write_free(writer);
    }
  }

  Result<void> begin(std::string_view name, std::int64_t size) const {
    const Entry entry(archive_entry_new());
    archive_entry_set_pathname(entry.get(), std::string(name).c_str());
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    archive_entry_set_perm(entry.get(), 0600);
    archive_entry_set_mtime(entry.get(), std::time(nullptr), 0);
    archive_entry_set_size(entry.get(), size);
    if (archive_write_header(writer, entry.get()) != ARCHIVE_OK) {
      return archive_error("cannot write " + path.string(), writer);
    }
    return {};
  }

  Result<void> write(std::string_view bytes) const {
    const la_ssize_t written = archive_write_data(writer, bytes.data(), bytes.size());
    if (written != static_cast<la_ssize_t>(bytes.size())) {
      return archive_error("cannot write " + path.string(), writer);
    }
    return {};
  }
};

TarWriter::TarWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
TarWriter::~TarWriter() = default;
TarWriter::TarWriter(TarWriter&&) noexcept = default;

Result<TarWriter> TarWriter::create(const std::filesystem::path& path) {
  auto state = std::make_unique<State>();
  state->path = path;
  state->file = UniqueFd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!state->file) {
    return errno == EEXIST ? fail(ErrorCode::conflict, path.string() + " is there already")
                           : system_error("cannot make " + path.string(), errno);
  }
  state->writer = archive_write_new();
  archive_write_set_format_pax_restricted(state->writer);
  archive_write_set_bytes_in_last_block(state->writer, 1);
  if (archive_write_open_fd(state->writer, state->file.get()) != ARCHIVE_OK) {
    return archive_error("cannot write " + path.string(), state->writer);
  }
  return TarWriter(std::move(state));
}

Result<void> TarWriter::add_file(std::string_view name, const std::filesystem::path& source) {
  const UniqueFd file(::open(source.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat about{};
  if (!file || ::fstat(file.get(), &about) != 0) {
    const int reason = errno;
    Error error = system_error("cannot read " + source.string(), reason);
    error.code = reason == ENOENT ? ErrorCode::not_found : error.code;
    return error;
  }
  HONE_CHECK(state_->begin(name, about.st_size));
  std::vector<char> piece(kPiece);
  for (std::int64_t left = about.st_size; left > 0;) {
    const std::size_t wanted = static_cast<std::size_t>(
        std::min<std::int64_t>(left, static_cast<std::int64_t>(piece.size())));
    const ssize_t got = ::read(file.get(), piece.data(), wanted);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      return got < 0 ? system_error("cannot read " + source.string(), errno)
                     : fail(ErrorCode::io_failed, source.string() + " became shorter meanwhile");
    }
    HONE_CHECK(state_->write({piece.data(), static_cast<std::size_t>(got)}));
    left -= got;
  }
  return {};
}

Result<void> TarWriter::add_text(std::string_view name, std::string_view content) {
  HONE_CHECK(state_->begin(name, static_cast<std::int64_t>(content.size())));
  return state_->write(content);
}

Result<void> TarWriter::finish() {
  if (archive_write_close(state_->writer) != ARCHIVE_OK) {
    return archive_error("cannot write " + state_->path.string(), state_->writer);
  }
  if (::fsync(state_->file.get()) != 0) {
    return system_error("cannot write " + state_->path.string(), errno);
  }
  return {};
}

Result<void> read_tar(const std::filesystem::path& path, const TakeTarFile& take) {
  const Utf8Locale locale;
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) {
    const int reason = errno;
    Error error = system_error("cannot read " + path.string(), reason);
    error.code = reason == ENOENT ? ErrorCode::not_found : error.code;
    return error;
  }
  const Reader reader = make_reader();
  if (archive_read_open_fd(reader.get(), file.get(), kPiece) != ARCHIVE_OK) {
    return broken(reader.get(), path.string() + " is no tar archive");
  }
  return read_entries(reader.get(), path.string(), take);
}

Result<void> read_tar(const TarBytes& source, const std::string& what, const TakeTarFile& take) {
  const Utf8Locale locale;
  Source bytes{source, {}};
  const Reader reader = make_reader();
  if (archive_read_open(reader.get(), &bytes, nullptr, read_source, nullptr) != ARCHIVE_OK) {
    return bytes.failed ? broken(reader.get(), what + " is no tar archive") : bytes.failed;
  }
  const Result<void> read = read_entries(reader.get(), what, take);
  // Why the bytes ended says more than that they did.
  return bytes.failed ? read : bytes.failed;
}

}  // namespace hone
