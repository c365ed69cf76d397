// The programs that builds use, found once when the worker starts. Plain values, thread safe.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/protocol/attempt_result.h"
#include "worker/artifacts/job_user.h"

namespace hone {

struct ToolchainSettings {
  std::string c_compiler = "clang-19";
  std::string cxx_compiler = "clang++-19";
  std::filesystem::path launcher;    // hone-cc; empty: beside this program
  std::filesystem::path plugin_dir;  // of libhone_pass-N.so; empty: where the launcher looks
};

struct Toolchain {
  std::string c_compiler;    // absolute
  std::string cxx_compiler;  // absolute
  std::string ccache;        // absolute; empty if there is none: builds then take longer
  std::string launcher;      // absolute
  // hone-link beside the launcher, absolute; empty if there is none: programs are linked once.
  std::string link_launcher;
  std::string plugin_dir;    // empty: where the launcher looks
  std::string plugin_found;  // the folder it was found in; empty: nowhere
  int compiler_major = 0;
  ToolchainInfo info;

  // What stands before a compiler: launcher, then object cache. Before the linker of a build system
  // that tells one from the other, link_launcher alone; of others, it stands before these.
  std::vector<std::string> launchers() const;

  // What a sandbox has to show besides the system's own folders: those of the launcher and the
  // plugin, and the compilers' bin, lib, libexec and include where they are installed elsewhere.
  std::vector<std::filesystem::path> folders() const;
};

// Finds the programs and runs each once as the job's user, who must be able to. not_found or
// permission_denied with what to do about it.
Result<Toolchain> find_toolchain(const ToolchainSettings& settings, const JobUser& user);

}  // namespace hone
