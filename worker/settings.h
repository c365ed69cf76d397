// The settings of hone-worker, from its command line, environment and file. Plain values.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/client/client_options.h"
#include "common/settings/log_settings.h"
#include "worker/build/toolchain.h"

namespace hone {

struct WorkerSettings {
  ClientFlags server;
  std::string name;            // default: the host's name
  std::filesystem::path work;  // absolute
  std::size_t slots = 1;
  std::vector<int> cpus;                      // empty: any
  std::string job_user;                       // empty: one for each slot as root, else oneself
  bool require_sandbox = false;               // do not start with less than the whole sandbox
  std::vector<std::filesystem::path> shared;  // what jobs may read besides; absolute
  std::vector<std::filesystem::path> hidden;  // what they may not see even there; absolute
  std::uint64_t build_disk_mib = 32768;       // of one build
  ToolchainSettings toolchain;
  int build_jobs = 1;  // of one build
  std::map<std::string, std::string> labels;
  std::filesystem::path lock_folder;  // of the processors' locks, shared by all workers
  std::uint64_t artifact_cache_mib = 8192;
  std::size_t kept_workspaces = 16;
  std::int64_t wait_seconds = 20;
  bool once = false;
  std::optional<std::chrono::seconds> exit_when_idle;
  std::size_t heat_size = 8;
  LogSettings log;
  std::vector<std::string> strangers;  // SettingTable::strangers()
};

// What to do after reading the settings: go on, or end with this code (after --help, --version and
// the like, or a mistake, which was told on standard error).
struct CommandLine {
  WorkerSettings settings;
  bool ends = false;
  int exit_code = 0;
};
CommandLine read_command_line(int argc, char** argv);

}  // namespace hone
