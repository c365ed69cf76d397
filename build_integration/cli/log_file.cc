#include "build_integration/cli/log_file.h"

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
  place.cursor = reader.text("cursor", {.max_size = 256});
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

}  // namespace

Result<LogFile> LogFile::open(const fs::path& path) {
  UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
  struct stat status{};
  if (!file || fstat(file.get(), &status) != 0) {
    return system_error("cannot write " + path.string(), errno);
  }
  LogFile log(path, std::move(file));
  Result<Place> place = read_place(path);
  if (!place && place.error().code == ErrorCode::not_found) {
    if (status.st_size > 0) {
      return no_export(path, cursor_file(path).filename().string() + " is not beside it");
    }
    return log;
  }
  HONE_CHECK(place);
  log.cursor_ = place->cursor;
  log.bytes_ = place->bytes;
  if (static_cast<std::uint64_t>(status.st_size) < log.bytes_) {
    return no_export(path, "it has " + std::to_string(status.st_size) + " of " +
                               std::to_string(log.bytes_) + " bytes");
  }
  if (ftruncate(log.file_.get(), static_cast<off_t>(log.bytes_)) != 0) {
    return system_error("cannot write " + path.string(), errno);
  }
  return log;
}

Result<void> LogFile::append(std::string_view lines, const std::string& next_cursor) {
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
