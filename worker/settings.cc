#include "worker/settings.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>

#include <CLI/CLI.hpp>

#include "common/completion/bash_completion.h"
#include "common/protocol/lease.h"
#include "common/protocol/locations.h"
#include "common/protocol/names.h"
#include "common/protocol/worker.h"
#include "common/settings/setting_table.h"

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

// Settings that become others once all are known.
struct WorkerTexts {
  fs::path work;
  fs::path lock_folder;
  std::vector<std::string> labels;
  std::vector<std::string> shared;
  std::vector<std::string> hidden;
  std::string cxx;
  fs::path launcher;
  fs::path plugin_dir;
  std::int64_t idle_seconds = 0;
};

void declare_connection(SettingTable& table, WorkerSettings& settings, WorkerTexts& texts) {
  table.section("Its coordinator");
  table.add({.key = "url",
             .unit = "URL",
             .help = "Address of honed, or of several over one database: A,B",
             .environment = "HONE_URL",
             .default_text = "http://127.0.0.1:7077"},
            settings.server.url);
  table.add({.key = "token_file",
             .unit = "FILE",
             .help = "File with a worker's token",
             .environment = "HONE_TOKEN_FILE"},
            settings.server.token_file);
  table.add({.key = "ca",
             .unit = "FILE",
             .help = "Whom to trust with https:// (PEM)",
             .environment = "HONE_CA_FILE",
             .default_text = "whom the system trusts"},
            settings.server.ca);
  table.add({.key = "cert",
             .unit = "FILE",
             .help = "Certificate that shows this worker to honed (PEM)",
             .environment = "HONE_CERT_FILE"},
            settings.server.certificate);
  table.add({.key = "key", .unit = "FILE", .help = "Its key (PEM)", .environment = "HONE_KEY_FILE"},
            settings.server.key);
  table.add({.key = "name",
             .unit = "NAME",
             .help = "Name of this worker, unique at its honed",
             .default_text = "the host's name"},
            settings.name);
  table.add({.key = "label",
             .unit = "NAME=VALUE",
             .help = "Shown with the worker; targets can require it"},
            texts.labels);
  table.add({.key = "wait_seconds", .unit = "SECONDS", .help = "Length of one wait for a job"},
            settings.wait_seconds, WholeNumbers{0, 60});
  table.add({.key = "once", .help = "End after one job"}, settings.once);
  table.add({.key = "exit_when_idle",
             .unit = "SECONDS",
             .help = "End when there was no job for so long; 0: when there is none",
             .default_text = "never"},
            texts.idle_seconds, WholeNumbers{0, 604'800});
}

void declare_machine(SettingTable& table, WorkerSettings& settings, WorkerTexts& texts) {
  table.section("This machine");
  table.add({.key = "work",
             .unit = "DIR",
             .help = "Folder for sources, builds and caches",
             .default_text = "honed's data folder with -worker behind it"},
            texts.work);
  table.add({.key = "slots",
             .unit = "NUMBER",
             .help = "Benchmarks at once, each on a processor of its own"},
            settings.slots, WholeNumbers{1, kMostSlots});
  table.add({.key = "cpus",
             .unit = "NUMBERS",
             .help = "Processors for benchmarks, as 2,3",
             .default_text = "any free ones"},
            settings.cpus, WholeNumbers{0, 65'535});
  table.add({.key = "lock_folder",
             .unit = "DIR",
             .help = "Folder of the processors' locks, one for all workers",
             .default_text = "/run/lock, or the work folder"},
            texts.lock_folder);
  table.add({.key = "build_jobs",
             .unit = "NUMBER",
             .help = "Compiles at once of one build",
             .default_text = "processors / slots"},
            settings.build_jobs, WholeNumbers{1, 1024});
  table.add({.key = "build_disk_mib",
             .unit = "MIB",
             .help = "Disk that one build may fill, its caches included"},
            settings.build_disk_mib, WholeNumbers{1, 1 << 24});
  table.add({.key = "artifact_cache_mib", .unit = "MIB", .help = "Size of the source cache"},
            settings.artifact_cache_mib, WholeNumbers{1, 1 << 24});
  table.add({.key = "keep_workspaces", .unit = "NUMBER", .help = "Unused baselines that are kept"},
            settings.kept_workspaces, WholeNumbers{0, 1'000'000});
}

void declare_jobs(SettingTable& table, WorkerSettings& settings, WorkerTexts& texts) {
  table.section("Jobs");
  table.add({.key = "job_user",
             .unit = "USER",
             .help = "User that all builds and benchmarks run as",
             .default_text = "as root a user without account for each slot, number 60800 plus that "
                             "of its processor; else oneself"},
            settings.job_user);
  table.add({.key = "require_sandbox",
             .help = "Do not start unless jobs are locked in completely: bubblewrap, a system call "
                     "filter and control groups for memory, pids and cpuset. Without, the worker "
                     "uses what the machine allows, and says in every result what is missing"},
            settings.require_sandbox);
  table.add({.key = "share",
             .unit = "PATH",
             .help = "File or folder that jobs may read besides the system (/usr, /etc, /opt ...), "
                     "the compiler and their own folders"},
            texts.shared);
  table.add(
      {.key = "hide",
       .unit = "PATH",
       .help = "File or folder that jobs must not see although it lies in such a folder; this "
               "worker's token, key and work folder are hidden anyway"},
      texts.hidden);
  table.add({.key = "heat",
             .unit = "NUMBER",
             .help = "Candidates of a campaign that one slot races with each other, with the "
                     "baseline's runs shared; their builds are kept meanwhile, as many as the disk "
                     "has room for. 1: each is measured alone"},
            settings.heat_size, WholeNumbers{1, kLargestHeat});
  table.section("Compilers");
  table.add({.key = "compiler", .unit = "PROGRAM", .help = "C compiler"},
            settings.toolchain.c_compiler);
  table.add({.key = "cxx_compiler",
             .unit = "PROGRAM",
             .help = "C++ compiler",
             .default_text = "the C compiler's sister"},
            texts.cxx);
  table.add({.key = "launcher",
             .unit = "FILE",
             .help = "The launcher",
             .default_text = "hone-cc beside this program"},
            texts.launcher);
  table.add({.key = "plugin_dir",
             .unit = "DIR",
             .help = "Folder of the pass plugins",
             .default_text = "beside the launcher"},
            texts.plugin_dir);
  declare_log_settings(table, settings.log);
}

// What settings say together, or need more than their own text for.
void check(const WorkerSettings& settings, const WorkerTexts& texts,
           std::vector<FieldProblem>& problems) {
  if (!is_valid_name(settings.name)) {
    problems.push_back({"/name", "'" + settings.name + "' must match [a-z0-9][a-z0-9._-]{0,62}"});
  }
  for (const std::string& label : texts.labels) {
    const std::size_t at = label.find('=');
    if (at == 0 || at == std::string::npos) {
      problems.push_back({"/label", "'" + label + "' is not NAME=VALUE"});
    }
  }
  if (!settings.cpus.empty() && settings.cpus.size() < settings.slots) {
    problems.push_back({"/cpus", "names fewer processors than there are slots"});
  }
}

// What follows from settings that passed the check.
void finish(const SettingTable& table, WorkerSettings& settings, const WorkerTexts& texts) {
  for (const std::string& label : texts.labels) {
    const std::size_t at = label.find('=');
    settings.labels[label.substr(0, at)] = label.substr(at + 1);
  }
  settings.work = fs::absolute(texts.work.empty() ? default_work() : texts.work).lexically_normal();
  settings.lock_folder =
      texts.lock_folder.empty() ? default_lock_folder(settings.work) : texts.lock_folder;
  for (const std::string& path : texts.shared) {
    settings.shared.push_back(fs::absolute(path).lexically_normal());
  }
  for (const std::string& path : texts.hidden) {
    settings.hidden.push_back(fs::absolute(path).lexically_normal());
  }
  settings.toolchain.cxx_compiler =
      texts.cxx.empty() ? cxx_of(settings.toolchain.c_compiler) : texts.cxx;
  settings.toolchain.launcher = texts.launcher;
  settings.toolchain.plugin_dir = texts.plugin_dir;
  if (table.is_given("exit_when_idle")) {
    settings.exit_when_idle = std::chrono::seconds(texts.idle_seconds);
  }
  if (!table.is_given("build_jobs")) {
    settings.build_jobs = std::max(1, usable_cpus() / static_cast<int>(settings.slots));
  }
  settings.strangers = table.strangers();
}

}  // namespace

CommandLine read_command_line(int argc, char** argv) {
  CommandLine result;
  WorkerSettings& settings = result.settings;
  WorkerTexts texts;
  settings.name = default_name();
  SettingTable table({.program = "hone-worker",
                      .version = HONE_VERSION,
                      .environment_prefix = "HONE_WORKER_",
                      .reference_intro = "The staging worker."});
  declare_connection(table, settings, texts);
  declare_machine(table, settings, texts);
  declare_jobs(table, settings, texts);
  table.add_check([&](std::vector<FieldProblem>& problems) { check(settings, texts, problems); });
  CLI::App app("Staging worker of Hone: leases jobs, builds, measures and reports.", "hone-worker");
  add_bash_completion(app);
  if (const std::optional<int> end = table.read(app, argc, argv)) {
    result.ends = true;
    result.exit_code = *end;
    return result;
  }
  finish(table, settings, texts);
  return result;
}

}  // namespace hone
