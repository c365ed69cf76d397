// Runs a program that nobody trusts, so that it sees the system read-only and of everything else
// only what it is given, has a /tmp, processes and a network of its own (the latter empty), cannot
// make the system calls that kernels are attacked through, and cannot use more than its share.
//
// The work is done by bubblewrap (namespaces), a seccomp filter (seccomp_profile.h) and control
// groups (control_group.h), around hone::run, which brings the user, the limits of each process and
// the end of the whole tree. Process 1 in there is ours (init.cc): it reports how the program ended
// and what it alone used, so that nothing of the sandbox is counted as the program's time.
//
// Which parts there are is found out once, by find_sandbox(); a Sandbox made by default has none
// and is hone::run. A part that was there and fails later fails the run: a program is never started
// with less than its Sandbox promises. Copies share everything; thread safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "common/base/file.h"
#include "common/base/result.h"
#include "common/base/subprocess.h"

namespace hone {

enum class NetworkUse {
  none,  // a loopback of its own, nothing else
  open,  // the machine's
};

// What one program may see and use, besides its Command. All paths are absolute and the same
// inside; what does not exist is left out.
struct SandboxView {
  std::vector<std::filesystem::path> readable;  // files and folders
  std::vector<std::filesystem::path> writable;  // likewise, as far as the user may
  // An existing folder in whose place an empty one in memory is seen, gone after the run; counts as
  // memory of the program. Empty: none.
  std::filesystem::path scratch;
  std::uint64_t scratch_bytes = 0;
  bool keep_scratch = false;  // until the report's `scratch` is closed
  NetworkUse network = NetworkUse::none;
  std::uint64_t memory_bytes = 0;  // of all its processes together; 0: no limit
};

struct SandboxReport {
  RunReport run;
  std::string limit_met;  // in words, which limit of the whole tree it met; empty if none
  // The folder that was the view's scratch, open, as the program left it. Empty if it is not to be
  // kept, and perhaps if the program had to be ended.
  UniqueFd scratch;
};

struct SandboxParts;  // sandbox_parts.h

class Sandbox {
 public:
  Sandbox() = default;
  explicit Sandbox(SandboxParts parts);

  // As hone::run, whose errors it has; also unavailable where the sandbox itself cannot be made or
  // is ended from outside, and where the kernel killed one of its processes because others had used
  // up the machine's memory.
  Result<SandboxReport> run(const Command& command, const SandboxView& view,
                            const std::stop_token& stop = {}) const;

  // In plain words, what the sandbox lacks on this machine and how to get it: for every result that
  // was measured without.
  const std::vector<std::string>& warnings() const;

  // How many generations below the guardian (Command::guardian) are no program's but ours: bwrap
  // and process 1, or none.
  int own_generations() const;

 private:
  std::shared_ptr<const SandboxParts> parts_;
};

}  // namespace hone
