#include "common/client/line_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <limits>
#include <utility>

#include <nlohmann/json.hpp>

#include "common/json/object_reader.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

fs::path cursor_file(const fs::path& path) {
  return path.string() + ".cursor";
}

struct Place {
  std::string cursor;
  std::uint64_t bytes = 0;
};

Result<Place> read_place(const fs::path& path) {
  const fs::path beside = cursor_file(path);
  HONE_TRY(const std::string text, read_file(beside, 4096));
  Result<Json> document = parse_json(text);
  if (!document) {
    return document.error().within(beside.string());
  }
  Problems problems;
  ObjectReader reader(*document, "", problems, UnknownKeys::ignore);
  Place place;
  place.cursor = reader.text("cursor", {.min_size = 0, .max_size = 256});
  place.bytes = static_cast<std::uint64_t>(
      reader.integer("bytes", 0, std::numeric_limits<std::int64_t>::max()));
  if (auto error = problems.as_error("cursor")) {
    return error->within(beside.string());
  }
  return place;
}

Error no_export(const fs::path& path, const std::string& why) {
  return fail(ErrorCode::conflict, path.string() + " is no export to go on with: " + why +
                                       "; name another file, or remove it");
}

// What the cursor says is the end of a line: else it is not this file's, and nothing is cut off.
Result<void> check_line_end(const fs::path& path, std::uint64_t bytes) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  char last = 0;
  if (!file || pread(file.get(), &last, 1, static_cast<off_t>(bytes - 1)) != 1) {
    return system_error("cannot read " + path.string(), errno);
  }
  if (last != '\n') {
    return no_export(path, "no line ends at byte " + std::to_string(bytes) + ", where " +
                               cursor_file(path).filename().string() + " says one does");
  }
  return {};
}

}  // namespace

Result<LineFile> LineFile::open(const fs::path& path) {
  UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
  struct stat status{};
  if (!file || fstat(file.get(), &status) != 0) {
    return system_error("cannot write " + path.string(), errno);
  }
  if (!S_ISREG(status.st_mode)) {
    return no_export(path, "it is not a regular file");
  }
  LineFile made(path, std::move(file));
  Result<Place> place = read_place(path);
  if (!place && place.error().code == ErrorCode::not_found) {
    if (status.st_size > 0) {
      return no_export(path, cursor_file(path).filename().string() + " is not beside it");
    }
    // Beside it from the beginning: a first page that fails must not make it nobody's.
    HONE_CHECK(made.append("", ""));
    return made;
  }
  HONE_CHECK(place);
  made.cursor_ = place->cursor;
  made.bytes_ = place->bytes;
  if (static_cast<std::uint64_t>(status.st_size) < made.bytes_) {
    return no_export(path, "it has " + std::to_string(status.st_size) + " of the " +
                               std::to_string(made.bytes_) + " bytes in " +
                               cursor_file(path).filename().string() +
                               " (without both, all is "
                               "exported again)");
  }
  if (made.bytes_ > 0) {
    HONE_CHECK(check_line_end(path, made.bytes_));
  }
  if (ftruncate(made.file_.get(), static_cast<off_t>(made.bytes_)) != 0) {
    return system_error("cannot write " + path.string(), errno);
  }
  return made;
}

Result<void> LineFile::append(std::string_view lines, const std::string& next_cursor) {
  std::uint64_t at = bytes_;
  while (!lines.empty()) {
    const ssize_t done = pwrite(file_.get(), lines.data(), lines.size(), static_cast<off_t>(at));
    if (done < 0 && errno == EINTR) {
      continue;
    }
    if (done <= 0) {
      return system_error("cannot write " + path_.string(), errno);
    }
    lines.remove_prefix(static_cast<std::size_t>(done));
    at += static_cast<std::uint64_t>(done);
  }
  if (fdatasync(file_.get()) != 0) {
    return system_error("cannot write " + path_.string(), errno);
  }
  HONE_CHECK(write_file_atomically(
      cursor_file(path_), dump_json({{"cursor", next_cursor}, {"bytes", at}}) + "\n", 0644));
  bytes_ = at;
  cursor_ = next_cursor;
  return {};
}

}  // namespace hone
