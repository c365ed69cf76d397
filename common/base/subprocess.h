// Runs another program, without a shell, under limits, and accounts for its whole process tree.
//
// Between us and the program stands a guardian process: it is the subreaper of everything the
// program starts, so that a time limit, a stop request or the death of this very process (kill -9
// included) ends the whole tree, and no descendant outlives the call. The guardian keeps our user;
// the program may run as another. CPU time is the sum over all reaped processes of the tree
// (wait4). Thread safe; one call blocks one thread.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "common/base/result.h"

namespace hone {

struct RunAs {
  uid_t user = 0;
  gid_t group = 0;
};

// Zero means no limit of that kind. All but wall time are per process (setrlimit).
struct RunLimits {
  std::chrono::milliseconds wall_time{0};
  std::uint64_t cpu_seconds = 0;
  std::uint64_t address_space_bytes = 0;
  std::uint64_t file_size_bytes = 0;
  std::uint64_t open_files = 0;
  std::uint64_t processes = 0;  // of the user; ignored by the kernel for root
};

struct Command {
  std::vector<std::string> arguments;     // [0] is the program, looked up in the given PATH
  std::filesystem::path program;          // run in its place, under its name; empty: [0] itself
  std::vector<std::string> environment;   // the whole of it, "NAME=value"; nothing is inherited
  std::filesystem::path working_folder;   // empty: ours
  std::filesystem::path stdin_file;       // empty: /dev/null
  std::filesystem::path stdout_file;      // created or truncated; empty: captured
  std::filesystem::path stderr_file;      // likewise; may equal stdout_file for one stream
  std::size_t capture_limit = 1U << 20U;  // bytes kept of each captured stream, the rest is counted
  RunLimits limits;
  std::optional<RunAs> run_as;  // needs root; implies no_new_privileges
  // Neither it nor what it starts gains rights by what it executes (set-user-ID files and the
  // like).
  bool no_new_privileges = false;
  std::optional<int> cpu;                // run on this processor only
  std::vector<int> inherit_descriptors;  // all that is open in it besides 0, 1 and 2; same numbers
  // cgroup.procs files of the control groups that the program starts in; ours may write there.
  std::vector<std::filesystem::path> join_groups;
  // Holds the guardian's number while there is one, 0 before and after: everything that the program
  // starts descends from it. Null: nobody wants to know. Outlives the call.
  std::atomic<pid_t>* guardian = nullptr;
};

enum class RunEnd {
  exited,     // exit_code holds
  signalled,  // signal holds (a CPU limit shows as SIGXCPU or SIGKILL)
  timed_out,  // our wall limit; the tree was killed
  stopped,    // the stop token; the tree was killed
};

struct RunReport {
  RunEnd end = RunEnd::exited;
  int exit_code = 0;
  int signal = 0;
  double cpu_seconds = 0;   // user + system, whole tree
  double wall_seconds = 0;  // start of the program to its end
  // Largest single process; not below our own anonymous memory, which fork lends the program.
  std::int64_t peak_rss_bytes = 0;
  std::string stdout_text;
  std::string stderr_text;
  std::uint64_t stdout_dropped = 0;  // bytes past the capture limit
  std::uint64_t stderr_dropped = 0;

  bool ok() const { return end == RunEnd::exited && exit_code == 0; }
  // "exit code 3", "killed by signal 11 (Segmentation fault)", "stopped after 5 s (time limit)".
  std::string describe_end() const;
};

// Runs to the end. The Result's error means that the program could not be started, and its code
// whose doing that is. What the command names is none of a program, or no folder to work in:
// not_found, permission_denied, io_failed, invalid_argument for an empty command. This machine
// could not do its part, with any program (processes, memory, descriptors or disk ran out, a
// stream's file could not be opened, a group, user or processor was refused, the guardian was
// lost): unavailable. Everything the program does is in the report.
Result<RunReport> run(const Command& command, const std::stop_token& stop = {});

// The file that run() starts for the command, looked up in its own PATH if it names no folder.
// not_found.
Result<std::string> find_program(const Command& command);

// What run() fails with where the kernel refuses to execute the program for this reason:
// unavailable unless the reason lies in the file.
Error start_error(std::string_view program, int errno_value);

}  // namespace hone
