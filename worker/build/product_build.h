// Builds a product in one folder as its target says: CMake first where given, then the commands.
// Thread safe for distinct folders; blocks.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "common/protocol/target_spec.h"
#include "common/protocol/values.h"
#include "staging/sandbox/sandbox.h"
#include "worker/artifacts/job_user.h"
#include "worker/build/step_log.h"
#include "worker/build/toolchain.h"

namespace hone {

struct BuildFolders {
  std::filesystem::path source;
  std::filesystem::path build;     // exists; belongs to the job's user
  std::filesystem::path wrappers;  // holds cc and cxx, see write_wrappers()
};

// What of a build is made: all, or what comes before the first compile alone.
enum class BuildPart { all, preparation };

// How a build differs from the one that gives the binaries to be measured.
struct BuildVariant {
  BuildPart part = BuildPart::all;
  // A folder as the preparation leaves it, of a build in the very same folder: copied in place of
  // CMake's configure step. Empty: none.
  std::filesystem::path prepared = {};
  // What every compile and link is told besides, before its own options; the folder of wrappers is
  // written with the same.
  std::vector<std::string> flags = {};
  std::optional<int> cpu = std::nullopt;  // its steps run on this processor alone
  bool limit_address_space = true;        // false for programs that reserve more than they use
};

struct BuildRequest {
  const TargetSpec& target;
  BaselineKind baseline = BaselineKind::o3;  // which optimisation flags CMake is given
  const Toolchain& toolchain;
  const JobUser& user;
  BuildFolders folders;
  std::vector<std::string> environment;
  int jobs = 1;
  Sandbox sandbox = {};
  SandboxView view = {};  // what the steps see in it, the build folder included
  BuildVariant variant = {};
};

enum class BuildEnd {
  ok,
  failed,
  timed_out,
  limit_exceeded,
  stopped,
  unavailable,  // this machine's trouble: no sandbox could be made, or its disk is full
};

struct BuildReport {
  BuildEnd end = BuildEnd::ok;
  std::string reason;       // unless ok: the step, how it ended, its last words
  double wall_seconds = 0;  // of all steps
  double cpu_seconds = 0;   // of whole process trees, without the preparation's
};

// Writes `folder`/cc and cxx, which run the compilers behind the launchers: what {cc} and {cxx}
// stand for, for build systems that take one program's name. With flags, which these then add, also
// compile and link, which CMake starts its compiler and linker by.
Result<void> write_wrappers(const std::filesystem::path& folder, const Toolchain& toolchain,
                            const std::vector<std::string>& flags = {});

// Whether the build runs in a copy of the source: where it has no CMake and none of its commands
// says {source}. So builds that write beside what they compile (plain make, autotools in place)
// work although no build may change the source.
bool builds_in_copy(const TargetSpec& target);

// Copies what lies in a folder into another. Run by a job's user, who then owns the copy; with its
// times, by which build tools know what is up to date.
Arguments copy_command(const std::filesystem::path& from, const std::filesystem::path& to);

// The limits of one step: what the target says, and what is left of the time until `end`.
RunLimits build_limits(const TargetSpec& target, std::chrono::steady_clock::time_point end);

// Runs what is needed: the copy, or the configure step where the folder was not configured yet. The
// time limit holds for all steps together.
BuildReport build_product(const BuildRequest& request, StepLog& log, const std::stop_token& stop);

// Makes a folder that was built before ready for another candidate: false if it has to be emptied
// and built from nothing.
//
// The build tool cannot know that the launcher's environment has changed, so that every object must
// go. Removing the objects (and the declared binaries) of a configured CMake folder keeps generated
// sources and the configure step's results. Measured on 61 small C files, all of them in ccache:
// 0.37 s of processor time for the build (6 ms an object), the same after `ninja -t clean`, which
// also removes generated sources and runs their generators again; a folder configured anew costs
// 0.5 s more for that toy, seconds for a real product. A copy of a configured folder is refused by
// CMake, which records its own path. Nested builds (ExternalProject) would take what they made for
// up to date, and commands without CMake do not say what they made: both start from nothing. The
// caller also checks that the objects made are the baseline's.
bool prepare_rebuild(const TargetSpec& target, const std::filesystem::path& build);

}  // namespace hone
