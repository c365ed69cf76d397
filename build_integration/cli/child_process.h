// A program that `hone up` runs beside itself and stops with itself.
//
// It gets a process group of its own, so that Ctrl-C reaches us alone and we stop our programs in
// order; the kernel sends it SIGTERM should we die without stopping it. Not thread safe; start it
// from the main thread (the kernel's promise ends with the thread that started it).
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.h"

namespace hone {

class ChildProcess {
 public:
  // Starts it with our environment, standard input from /dev/null, both outputs appended to `log`.
  // not_found if there is no such program, io_failed.
  static Result<ChildProcess> start(const std::vector<std::string>& arguments,
                                    const std::filesystem::path& log);

  // Kills it if it still runs.
  ~ChildProcess();
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ChildProcess(const ChildProcess&) = delete;

  pid_t pid() const { return pid_; }
  // "exit code 1", "killed by signal 9", or nothing while it runs.
  std::optional<std::string> ended();
  // Of one that has ended by itself; nothing while it runs, or if it was killed.
  std::optional<int> exit_code();
  // SIGTERM, then SIGKILL after `patience`. Whether it ended by itself with exit code 0.
  bool stop(std::chrono::milliseconds patience);
  // What it has written to its log since it started, at most the last `limit` bytes.
  std::string log_tail(std::size_t limit = 4096) const;

 private:
  ChildProcess(pid_t pid, std::filesystem::path log, std::uintmax_t log_start)
      : pid_(pid), log_(std::move(log)), log_start_(log_start) {}
  bool reap(int flags);

  pid_t pid_ = -1;
  std::filesystem::path log_;
  std::uintmax_t log_start_ = 0;
  std::optional<int> status_;  // of waitpid, once it ended
};

}  // namespace hone
