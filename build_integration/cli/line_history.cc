#include "build_integration/cli/line_history.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "common/base/file.h"
#include "common/base/text.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFileBytes = std::size_t{16} << 20U;
constexpr mode_t kOwnerOnly = 0600;

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (const std::string_view line : split(text, '\n')) {
    if (!line.empty()) {
      lines.emplace_back(line);
    }
  }
  return lines;
}

Result<void> replace(int file, const fs::path& path, const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    text += line + "\n";
  }
  const ssize_t written = pwrite(file, text.data(), text.size(), 0);
  if (written != static_cast<ssize_t>(text.size())) {
    return system_error(path.string(), written < 0 ? errno : ENOSPC);
  }
  return ftruncate(file, written) == 0 ? Result<void>() : system_error(path.string(), errno);
}

}  // namespace

Result<fs::path> history_file() {
  const char* const state = std::getenv("XDG_STATE_HOME");
  if (state != nullptr && *state == '/') {
    return fs::path(state) / "hone/history";
  }
  const char* const home = std::getenv("HOME");
  if (home != nullptr && *home == '/') {
    return fs::path(home) / ".local/state/hone/history";
  }
  return fail(ErrorCode::not_found,
              "no folder for it: set XDG_STATE_HOME or HOME to an absolute path");
}

Result<std::vector<std::string>> LineHistory::lines() const {
  const Result<std::string> text = read_file(file_, kMaxFileBytes);
  if (!text) {
    return text.error().code == ErrorCode::not_found
               ? Result<std::vector<std::string>>(std::vector<std::string>())
               : text.error();
  }
  return lines_of(*text);
}

Result<void> LineHistory::add(const std::string& line) const {
  std::error_code failed;
  if (fs::create_directories(file_.parent_path(), failed)) {
    fs::permissions(file_.parent_path(), fs::perms::owner_all, failed);
  }
  if (failed) {
    return fail(ErrorCode::io_failed, file_.parent_path().string() + ": " + failed.message());
  }
  const UniqueFd file(open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kOwnerOnly));
  if (!file || flock(file.get(), LOCK_EX) != 0 || fchmod(file.get(), kOwnerOnly) != 0) {
    return system_error(file_.string(), errno);
  }
  HONE_TRY(std::vector<std::string> all, lines());
  if (!all.empty() && all.back() == line) {
    return {};
  }
  all.push_back(line);
  if (all.size() > kMaxHistoryLines) {
    all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(kMaxHistoryLines));
  }
  return replace(file.get(), file_, all);
}

}  // namespace hone
