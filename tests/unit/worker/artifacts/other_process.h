// A process that holds something until the end of the test: what the test's own children do is what
// a step's processes do.
#pragma once

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <filesystem>

#include <gtest/gtest.h>

namespace hone {

class OtherProcess {
 public:
  // Returns when `begin` has run in the child, which then waits to be ended.
  template <class Begin>
  explicit OtherProcess(const Begin& begin) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
      ADD_FAILURE() << "no pipe";
      return;
    }
    child_ = fork();
    if (child_ == 0) {
      end_with_parent();
      begin();
      [[maybe_unused]] const ssize_t told = write(ends[1], "x", 1);
      while (true) {
        pause();
      }
    }
    close(ends[1]);
    char ready = 0;
    EXPECT_EQ(read(ends[0], &ready, 1), 1) << "the process ended before it was ready";
    close(ends[0]);
  }
  ~OtherProcess() { end(); }
  // For children of children, too: nothing outlives the test.
  static void end_with_parent() { prctl(PR_SET_PDEATHSIG, SIGKILL); }
  OtherProcess(const OtherProcess&) = delete;
  OtherProcess& operator=(const OtherProcess&) = delete;

  pid_t number() const { return child_; }
  void end() {
    if (child_ > 0) {
      kill(child_, SIGKILL);
      waitpid(child_, nullptr, 0);
      child_ = -1;
    }
  }

 private:
  pid_t child_ = -1;
};

// In a child: a file without a name, of this size, that stays open. Ends the child where it cannot.
inline int hold_deleted(const std::filesystem::path& path, std::size_t size) {
  static constexpr std::array<char, 65536> kPiece{1};
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0 || unlink(path.c_str()) != 0) {
    _exit(1);
  }
  for (std::size_t done = 0; done < size; done += kPiece.size()) {
    if (write(file, kPiece.data(), kPiece.size()) != static_cast<ssize_t>(kPiece.size())) {
      _exit(2);
    }
  }
  return file;
}

}  // namespace hone
