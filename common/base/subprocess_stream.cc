#include "common/base/subprocess_stream.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace hone {

Error machine_error(std::string_view what, int errno_value) {
  Error error = system_error(what, errno_value);
  error.code = ErrorCode::unavailable;
  return error;
}

Result<UniqueFd> open_above_two(const std::filesystem::path& path, int flags) {
  const UniqueFd file(::open(path.c_str(), flags | O_CLOEXEC, 0644));
  if (!file) {
    return machine_error("cannot open " + path.string(), errno);
  }
  UniqueFd moved(::fcntl(file.get(), F_DUPFD_CLOEXEC, 3));
  if (!moved) {
    return machine_error("cannot open " + path.string(), errno);
  }
  return moved;
}

Result<ProgramStream> ProgramStream::open(const std::filesystem::path& file, std::string& text,
                                          std::uint64_t& dropped) {
  ProgramStream stream;
  stream.text = &text;
  stream.dropped = &dropped;
  if (!file.empty()) {
    HONE_TRY(stream.theirs, open_above_two(file, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND));
    return stream;
  }
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return machine_error("cannot make a pipe", errno);
  }
  stream.ours = UniqueFd(ends[0]);
  const UniqueFd low(ends[1]);
  stream.theirs = UniqueFd(fcntl(low.get(), F_DUPFD_CLOEXEC, 3));
  if (!stream.theirs) {
    return machine_error("cannot make a pipe", errno);
  }
  fcntl(stream.ours.get(), F_SETFL, O_NONBLOCK);
  return stream;
}

void ProgramStream::drain(std::size_t limit) {
  char piece[65536];
  while (ours) {
    const ssize_t got = read(ours.get(), piece, sizeof piece);
    if (got > 0) {
      const auto size = static_cast<std::size_t>(got);
      const std::size_t room = limit > text->size() ? limit - text->size() : 0;
      text->append(piece, std::min(size, room));
      *dropped += size - std::min(size, room);
    } else if (got == 0) {
      ours.reset();
    } else if (errno != EINTR) {
      return;
    }
  }
}

}  // namespace hone
