#include "build_integration/launcher/held_stderr.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>

namespace hone {
namespace {

// A pseudo-terminal that passes bytes as they are, with the size of our standard error.
bool open_terminal(UniqueFd& master, UniqueFd& slave) {
  UniqueFd ours(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  char name[128];
  if (!ours || ::grantpt(ours.get()) != 0 || ::unlockpt(ours.get()) != 0 ||
      ::ptsname_r(ours.get(), name, sizeof name) != 0) {
    return false;
  }
  UniqueFd theirs(::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC));
  termios settings{};
  if (!theirs || ::tcgetattr(theirs.get(), &settings) != 0) {
    return false;
  }
  ::cfmakeraw(&settings);
  winsize size{};
  if (::tcsetattr(theirs.get(), TCSANOW, &settings) != 0 ||
      ::fcntl(ours.get(), F_SETFL, O_NONBLOCK) != 0) {
    return false;
  }
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0) {
    ::ioctl(theirs.get(), TIOCSWINSZ, &size);
  }
  master = std::move(ours);
  slave = std::move(theirs);
  return true;
}

}  // namespace

Result<HeldStderr> HeldStderr::create() {
  HeldStderr held;
  if (::isatty(STDERR_FILENO) != 0 && open_terminal(held.terminal_, held.child_end_)) {
    return held;
  }
  // Without pseudo-terminals (a container without /dev/pts) colours are lost, the messages are not.
  held.memory_file_ = UniqueFd(::memfd_create("hone-stderr", MFD_CLOEXEC));
  if (!held.memory_file_) {
    return system_error("cannot hold standard error back", errno);
  }
  return held;
}

void HeldStderr::child_started() {
  child_end_.reset();
}

void HeldStderr::pump() {
  char piece[16384];
  while (terminal_) {
    const ssize_t got = ::read(terminal_.get(), piece, sizeof piece);
    if (got > 0) {
      text_.append(piece, static_cast<std::size_t>(got));
    } else if (got == 0 || errno != EINTR) {
      return;  // nothing now, or the other side is closed (EIO)
    }
  }
}

const std::string& HeldStderr::text() {
  if (complete_) {
    return text_;
  }
  complete_ = true;
  pump();
  if (memory_file_) {
    char piece[16384];
    off_t at = 0;
    while (true) {
      const ssize_t got = ::pread(memory_file_.get(), piece, sizeof piece, at);
      if (got < 0 && errno == EINTR) {
        continue;
      }
      if (got <= 0) {
        break;
      }
      text_.append(piece, static_cast<std::size_t>(got));
      at += got;
    }
  }
  return text_;
}

void HeldStderr::replay() {
  std::string_view rest = text();
  while (!rest.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, rest.data(), rest.size());
    if (written < 0 && errno != EINTR && errno != EAGAIN) {
      return;
    }
    if (written > 0) {
      rest.remove_prefix(static_cast<std::size_t>(written));
    }
  }
}

}  // namespace hone
