// The lines that somebody typed, kept in a file between runs: text, a line each, readable by its
// owner alone, the last kMaxHistoryLines. Several shells may share it: each adds its own lines. Not
// thread safe.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "common/base/result.h"

namespace hone {

inline constexpr std::size_t kMaxHistoryLines = 1000;

// $XDG_STATE_HOME/hone/history, or ~/.local/state/hone/history; not_found if neither is set.
Result<std::filesystem::path> history_file();

class LineHistory {
 public:
  explicit LineHistory(std::filesystem::path file) : file_(std::move(file)) {}

  // The oldest first; none if there is no file yet. io_failed.
  Result<std::vector<std::string>> lines() const;
  // Adds one, unless it is the last one again, and drops the oldest ones past the limit. Makes file
  // and folders. io_failed.
  Result<void> add(const std::string& line) const;

 private:
  std::filesystem::path file_;
};

}  // namespace hone
