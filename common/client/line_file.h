// An exported stream of lines (line_stream.h): lines of JSON, and beside them FILE.cursor, which
// says where the coordinator's stream goes on and how long the file was then. What an interrupted
// export wrote past that is cut off when it is taken up again, so that no line is there twice. Not
// thread safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "common/base/file.h"
#include "common/base/result.h"

namespace hone {

class LineFile {
 public:
  // Begins the file, or goes on with it. conflict if there is one that is no export (no FILE.cursor
  // beside it, or shorter than that says); io_failed.
  static Result<LineFile> open(const std::filesystem::path& path);

  // Empty at the beginning.
  const std::string& cursor() const { return cursor_; }
  // Whole lines, and where the stream goes on behind them. io_failed leaves the cursor as it was.
  Result<void> append(std::string_view lines, const std::string& next_cursor);

 private:
  LineFile(std::filesystem::path path, UniqueFd file)
      : path_(std::move(path)), file_(std::move(file)) {}

  std::filesystem::path path_;
  UniqueFd file_;
  std::string cursor_;
  std::uint64_t bytes_ = 0;
};

}  // namespace hone
