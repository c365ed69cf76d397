#include "build_integration/cli/state_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "common/base/file.h"

namespace hone {

Result<void> append_state(const std::filesystem::path& file, const EpisodeState& state) {
  const UniqueFd stream(open(file.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!stream) {
    return system_error(file.string(), errno);
  }
  flock(stream.get(), LOCK_EX);  // two of us may write to one file; of no use on some disks
  std::string begin(kStateCsvHeader.size() + 1, '\0');
  const ssize_t got = pread(stream.get(), begin.data(), begin.size(), 0);
  if (got < 0) {
    return system_error(file.string(), errno);
  }
  std::string text = to_csv(state) + "\n";
  if (got == 0) {
    text = std::string(kStateCsvHeader) + "\n" + text;
  } else if (!begin.starts_with(kStateCsvHeader)) {
    return fail(ErrorCode::conflict,
                file.string() + " does not begin with the line " + std::string(kStateCsvHeader));
  }
  // A row whose writer was killed: ours begins a line of its own.
  char last = '\n';
  if (got > 0 && pread(stream.get(), &last, 1, lseek(stream.get(), 0, SEEK_END) - 1) == 1 &&
      last != '\n') {
    text = "\n" + text;
  }
  const ssize_t written = write(stream.get(), text.data(), text.size());
  if (written != static_cast<ssize_t>(text.size())) {
    return system_error(file.string(), written < 0 ? errno : ENOSPC);
  }
  return {};
}

}  // namespace hone
