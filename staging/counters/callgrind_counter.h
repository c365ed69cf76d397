// Instructions that a program executes, as valgrind's callgrind counts them: of every process that
// it starts, and the same number in every run of a program that does the same. Time follows them
// only loosely (a miss of the cache counts as much as a hit): good to leave out what is hopeless,
// no substitute for measuring. Runs take 50 to 100 times as long; valgrind 3.19 knows no AVX-512.
//
// Each process' valgrind writes how many it collected to a pipe (log_pipe.h), so that a sandbox
// need not let anything else out. A process that is forked counts its own work alone (a library of
// ours, forked_child.c, sees to it; not in static programs, where it counts its parent's again up
// to the fork). Not counted are a process that is killed by SIGKILL, and what one does before it
// becomes another program by exec. Not thread safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "staging/counters/log_pipe.h"
#include "staging/counters/run_counter.h"

namespace hone {

// The number in a line of valgrind's log that tells how many instructions a process executed.
std::optional<std::uint64_t> collected_in(std::string_view line);

class CallgrindCounter final : public RunCounter {
 public:
  // unsupported, naming the package, if there is no valgrind in `path` (as in the variable PATH),
  // or if the library is not where our programs were built or installed.
  static Result<CallgrindCounter> create(const std::filesystem::path& folder,
                                         std::string_view path = kSystemPath);

  // Runs valgrind with the program; its limits make room for valgrind's own memory and slowness.
  Result<void> start(Command& command, SandboxView& view) override;
  // not_found if no process told a number.
  Result<double> finish() override;

  static constexpr std::string_view kSystemPath = "/usr/local/bin:/usr/bin:/bin";

 private:
  struct Log;
  CallgrindCounter(std::filesystem::path valgrind, std::filesystem::path library,
                   std::filesystem::path folder);
  Result<void> preload(Command& command, SandboxView& view) const;

  std::filesystem::path valgrind_;
  std::filesystem::path library_;
  std::filesystem::path folder_;
  std::shared_ptr<Log> log_;
  std::optional<LogPipe> pipe_;
};

}  // namespace hone
