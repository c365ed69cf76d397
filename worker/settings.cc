#include "worker/settings.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>

#include <CLI/CLI.hpp>

#include "common/completion/bash_completion.h"
#include "common/protocol/locations.h"
#include "common/protocol/target_spec.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

// The host's name in the letters that a worker's name may have.
std::string default_name() {
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  std::string name;
  for (const char c : std::string_view(host)) {
    const char small = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const bool fits = (small >= 'a' && small <= 'z') || (small >= '0' && small <= '9') ||
                      (!name.empty() && (small == '-' || small == '.'));
    if (fits && name.size() < 63) {
      name += small;
    }
  }
  return name.empty() ? "worker" : name;
}

// Beside honed's data, not within: jobs run as another user, who must not get in there.
fs::path default_work() {
  const fs::path data = default_data_folder();
  return data.empty() ? fs::path("hone-worker") : fs::path(data.string() + "-worker");
}

// Where every user's workers find each other's locks.
fs::path default_lock_folder(const fs::path& work) {
  return access("/run/lock", W_OK | X_OK) == 0 ? fs::path("/run/lock") : work;
}

int usable_cpus() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  return sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
}

// "clang-19" -> "clang++-19", "/usr/bin/clang" -> "/usr/bin/clang++"
std::string cxx_of(const std::string& compiler) {
  const std::size_t at = compiler.rfind("clang");
  std::string name = compiler;
  return at == std::string::npos ? name : name.insert(at + 5, "++");
}

}  // namespace

CommandLine read_command_line(int argc, char** argv) {
  CommandLine result;
  WorkerSettings& settings = result.settings;
  CLI::App app("Staging worker of Hone: leases jobs, builds, measures and reports.", "hone-worker");
  std::string work;
  std::string lock_folder;
  std::string level = "info";
  std::vector<std::string> labels;
  std::vector<std::string> shared;
  std::vector<std::string> hidden;
  std::string cxx;
  std::string launcher;
  std::string plugin_dir;
  settings.name = default_name();
  app.set_version_flag("--version", "hone-worker " HONE_VERSION);
  add_bash_completion(app);
  app.add_option(
      "--url", settings.url,
      "Address of honed, or of several over one database: A,B (HONE_URL; http://127.0.0.1:7077)");
  app.add_option("--token-file", settings.token_file,
                 "File with a worker's token (HONE_TOKEN_FILE)");
  app.add_option("--name", settings.name, "Name of this worker, unique at its honed")
      ->capture_default_str();
  app.add_option("--work", work,
                 "Folder for sources, builds and caches (" + default_work().string() + ")");
  app.add_option("--slots", settings.slots, "Benchmarks at once, each on a processor of its own")
      ->check(CLI::Range(1, 999))
      ->capture_default_str();
  app.add_option("--cpus", settings.cpus, "Processors for benchmarks, as 2,3 (any free ones)")
      ->delimiter(',');
  app.add_option("--job-user", settings.job_user,
                 "User that all builds and benchmarks run as (as root: a user without account for "
                 "each slot, number 60800 plus that of its processor; else oneself)");
  app.add_flag(
      "--require-sandbox", settings.require_sandbox,
      "Do not start unless jobs are locked in completely: bubblewrap, a system call filter "
      "and control groups for memory, pids and cpuset. Without this option the worker uses "
      "what the machine allows, and says in every result what is missing");
  app.add_option("--share", shared,
                 "File or folder that jobs may read besides the system (/usr, /etc, /opt ...), the "
                 "compiler and their own folders; may be repeated");
  app.add_option("--hide", hidden,
                 "File or folder that jobs must not see although it lies in such a folder; this "
                 "worker's token and work folder are hidden anyway; may be repeated");
  app.add_option("--launcher", launcher, "The launcher (hone-cc beside this program)");
  app.add_option("--plugin-dir", plugin_dir, "Folder of the pass plugins (beside the launcher)");
  app.add_option("--compiler", settings.toolchain.c_compiler, "C compiler")->capture_default_str();
  app.add_option("--cxx-compiler", cxx, "C++ compiler (the C compiler's sister)");
  app.add_option("--build-jobs", settings.build_jobs,
                 "Compiles at once of one build (processors / slots)")
      ->check(CLI::Range(1, 1024));
  app.add_option("--build-disk-mib", settings.build_disk_mib,
                 "Disk that one build may fill, its caches included")
      ->check(CLI::Range(1, 1 << 24))
      ->capture_default_str();
  app.add_option("--label", labels,
                 "NAME=VALUE shown with the worker, which targets can require; may be repeated");
  app.add_option("--lock-folder", lock_folder,
                 "Folder of the processors' locks, one for all workers (/run/lock)");
  app.add_option("--artifact-cache-mib", settings.artifact_cache_mib, "Size of the source cache")
      ->check(CLI::Range(1, 1 << 24))
      ->capture_default_str();
  app.add_option("--keep-workspaces", settings.kept_workspaces, "Unused baselines that are kept")
      ->capture_default_str();
  app.add_option("--wait-seconds", settings.wait_seconds, "Length of one wait for a job")
      ->check(CLI::Range(0, 60))
      ->capture_default_str();
  app.add_option("--heat", settings.heat_size,
                 "Candidates of a campaign that one slot races with each other, with the "
                 "baseline's runs shared; their builds are kept meanwhile, as many as the disk "
                 "has room for. 1: each is measured alone")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  app.add_flag("--once", settings.once, "End after one job");
  std::int64_t idle_seconds = 0;
  const CLI::Option* const idle =
      app.add_option("--exit-when-idle", idle_seconds,
                     "End when there was no job for so many seconds (never); 0: when there is none")
          ->check(CLI::Range(0, 604800));
  app.add_option("--log-level", level, "Least level logged")
      ->check(CLI::IsMember({"debug", "info", "warning", "error", "off"}))
      ->capture_default_str();
  CLI::Option* build_jobs = app.get_option("--build-jobs");
  try {
    app.parse(argc, argv);
    if (!is_valid_name(settings.name)) {
      throw CLI::ValidationError("--name", "must match [a-z0-9][a-z0-9._-]{0,62}");
    }
    for (const std::string& label : labels) {
      const std::size_t at = label.find('=');
      if (at == 0 || at == std::string::npos) {
        throw CLI::ValidationError("--label", "'" + label + "' is not NAME=VALUE");
      }
      settings.labels[label.substr(0, at)] = label.substr(at + 1);
    }
    if (!settings.cpus.empty() && settings.cpus.size() < settings.slots) {
      throw CLI::ValidationError("--cpus", "names fewer processors than there are slots");
    }
  } catch (const CLI::ParseError& error) {
    result.ends = true;
    result.exit_code = app.exit(error) == 0 ? 0 : exit_code(ErrorCode::invalid_argument);
    return result;
  }
  settings.work = fs::absolute(work.empty() ? default_work() : fs::path(work)).lexically_normal();
  if (!idle->empty()) {
    settings.exit_when_idle = std::chrono::seconds(idle_seconds);
  }
  settings.lock_folder =
      lock_folder.empty() ? default_lock_folder(settings.work) : fs::path(lock_folder);
  for (const std::string& path : shared) {
    settings.shared.push_back(fs::absolute(path).lexically_normal());
  }
  for (const std::string& path : hidden) {
    settings.hidden.push_back(fs::absolute(path).lexically_normal());
  }
  settings.toolchain.cxx_compiler = cxx.empty() ? cxx_of(settings.toolchain.c_compiler) : cxx;
  settings.toolchain.launcher = launcher;
  settings.toolchain.plugin_dir = plugin_dir;
  if (build_jobs->empty()) {
    settings.build_jobs = std::max(1, usable_cpus() / static_cast<int>(settings.slots));
  }
  constexpr std::pair<const char*, LogLevel> kLevels[] = {{"debug", LogLevel::debug},
                                                          {"info", LogLevel::info},
                                                          {"warning", LogLevel::warning},
                                                          {"error", LogLevel::error},
                                                          {"off", LogLevel::off}};
  for (const auto& [name, value] : kLevels) {
    if (level == name) {
      settings.log_level = value;
    }
  }
  return result;
}

}  // namespace hone
