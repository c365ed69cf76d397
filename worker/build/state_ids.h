// The name of what a pipeline starts from: the SHA-256 of a module's unoptimised bitcode. Thread
// safe for distinct workspaces; blocks.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "staging/sandbox/sandbox.h"
#include "worker/artifacts/job_user.h"
#include "worker/build/toolchain.h"

namespace hone {

struct StateIdRequest {
  const Toolchain& toolchain;
  const JobUser& user;
  std::filesystem::path source;
  std::filesystem::path build;    // holds compile_commands.json
  std::filesystem::path scratch;  // an empty folder of the job's user
  std::vector<std::string> environment;
  std::uint64_t memory_bytes = 0;
  std::chrono::seconds time_limit{300};  // for all files together
  Sandbox sandbox = {};
  SandboxView view = {};  // as of the build
};

// state_id by object file (relative to the build folder), as far as they could be had in time: one
// compile of each command of compile_commands.json with -Xclang -disable-llvm-passes -emit-llvm,
// run in the source folder with a relative source and with the machine's folders mapped away, so
// that the same source gives the same name on every machine. Never fails: what is not known is
// missing.
std::map<std::string, std::string> compute_state_ids(const StateIdRequest& request,
                                                     const std::stop_token& stop);

// The arguments after the compiler's name that make the bitcode `output` of one command: launchers,
// outputs and dependency files taken off, everything else kept. Nothing for a command that is no
// compile of one object.
std::vector<std::string> bitcode_arguments(const std::vector<std::string>& command,
                                           const std::string& source_as_spelled,
                                           const std::string& source_relative,
                                           const std::string& output);

}  // namespace hone
