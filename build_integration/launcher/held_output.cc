#include "build_integration/launcher/held_output.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string_view>

#include "build_integration/launcher/held_signal.h"

namespace hone {
namespace {

constexpr std::size_t kMaxHeldBytes = std::size_t{64} << 20U;

// A pseudo-terminal that passes bytes as they are, with the size of the terminal at `descriptor`.
bool open_terminal(int descriptor, UniqueFd& master, UniqueFd& slave) {
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
  if (::tcsetattr(theirs.get(), TCSANOW, &settings) != 0) {
    return false;
  }
  if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0) {
    ::ioctl(theirs.get(), TIOCSWINSZ, &size);
  }
  master = std::move(ours);
  slave = std::move(theirs);
  return true;
}

bool are_same_file(int one, int other) {
  struct stat first{};
  struct stat second{};
  return ::fstat(one, &first) == 0 && ::fstat(other, &second) == 0 &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

}  // namespace

Result<HeldOutput> HeldOutput::create(int descriptor) {
  HeldOutput held(descriptor);
  // Without pseudo-terminals (a container without /dev/pts) colours are lost, the messages are not.
  if (::isatty(descriptor) == 0 || !open_terminal(descriptor, held.source_, held.child_end_)) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
      return system_error("cannot hold the compiler's output back", errno);
    }
    held.source_ = UniqueFd(ends[0]);
    held.child_end_ = UniqueFd(ends[1]);
  }
  if (::fcntl(held.source_.get(), F_SETFL, O_NONBLOCK) != 0) {
    return system_error("cannot hold the compiler's output back", errno);
  }
  return held;
}

void HeldOutput::pump() {
  char piece[16384];
  while (source_ && !too_much_) {
    const ssize_t got = ::read(source_.get(), piece, sizeof piece);
    if (got > 0) {
      text_.append(piece, static_cast<std::size_t>(got));
      too_much_ = text_.size() > kMaxHeldBytes;
    } else if (got < 0 && errno == EAGAIN) {
      return;
    } else if (got == 0 || errno != EINTR) {
      source_.reset();  // the other side is closed (a terminal says EIO)
    }
  }
}

Result<void> HeldOutput::replay() const {
  const HeldSignal no_broken_pipe(SIGPIPE);
  std::string_view rest = text_;
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd waiting{descriptor_, POLLOUT, 0};
      ::poll(&waiting, 1, -1);
    } else if (errno != EINTR) {
      return system_error("cannot pass the compiler's output on", errno);
    }
  }
  return {};
}

Result<HeldOutputs> HeldOutputs::create() {
  if (::fcntl(STDERR_FILENO, F_GETFD) < 0) {
    return fail(ErrorCode::unavailable, "standard error is closed");
  }
  // Asked before a pipe takes the number of what is closed.
  const bool has_output = ::fcntl(STDOUT_FILENO, F_GETFD) >= 0;
  HONE_TRY(HeldOutput error, HeldOutput::create(STDERR_FILENO));
  HeldOutputs held(std::move(error));
  held.is_one_ = has_output && are_same_file(STDOUT_FILENO, STDERR_FILENO);
  if (has_output && !held.is_one_) {
    HONE_TRY(held.output_, HeldOutput::create(STDOUT_FILENO));
  }
  return held;
}

bool HeldOutputs::become_standard() const {
  if (is_one_ && ::dup2(error_.child_end(), STDOUT_FILENO) < 0) {
    return false;
  }
  if (output_ && ::dup2(output_->child_end(), STDOUT_FILENO) < 0) {
    return false;
  }
  return ::dup2(error_.child_end(), STDERR_FILENO) >= 0;
}

void HeldOutputs::child_started() {
  error_.child_started();
  if (output_) {
    output_->child_started();
  }
}

std::array<int, 2> HeldOutputs::readable() const {
  return {error_.readable(), output_ ? output_->readable() : -1};
}

void HeldOutputs::pump() {
  error_.pump();
  if (output_) {
    output_->pump();
  }
}

bool HeldOutputs::is_too_much() const {
  return error_.is_too_much() || (output_ && output_->is_too_much());
}

Result<void> HeldOutputs::replay() const {
  if (output_) {
    HONE_CHECK(output_->replay());
  }
  return error_.replay();
}

}  // namespace hone
