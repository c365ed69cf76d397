// hone-worker: puts the parts together and turns signals into stop requests.

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <iterator>
#include <thread>

#include "common/base/log.h"
#include "common/base/text.h"
#include "common/client/client.h"
#include "common/protocol/locations.h"
#include "common/protocol/machine_info.h"
#include "staging/sandbox/sandbox_support.h"
#include "worker/artifacts/folders.h"
#include "worker/build/leftovers.h"
#include "worker/client/http_job_server.h"
#include "worker/client/lease_loop.h"
#include "worker/client/slot_lock.h"
#include "worker/settings.h"

namespace hone {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

// SIGINT and SIGTERM ask for an orderly end; a second one ends the program at once, and the
// guardians then end what runs. What tools send to daemons to have them read their files again
// (SIGHUP, SIGUSR1, SIGUSR2) changes nothing. Blocks the signals in this and every later thread.
class SignalWatch {
 public:
  SignalWatch() {
    sigemptyset(&watched_);
    sigaddset(&watched_, SIGINT);
    sigaddset(&watched_, SIGTERM);
    sigaddset(&watched_, SIGHUP);
    sigaddset(&watched_, SIGUSR1);
    sigaddset(&watched_, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &watched_, nullptr);
    signal(SIGPIPE, SIG_IGN);
    thread_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
  }
  std::stop_token token() const { return source_.get_token(); }

 private:
  void watch(const std::stop_token& stop) {
    int seen = 0;
    while (!stop.stop_requested()) {
      const timespec tick{0, 100'000'000};
      const int number = sigtimedwait(&watched_, nullptr, &tick);
      if (number <= 0) {
        continue;
      }
      if (number != SIGINT && number != SIGTERM) {
        log_info("signal_ignored", {{"signal", number}});
        continue;
      }
      if (++seen > 1) {
        _exit(130);
      }
      log_info("stopping", {{"signal", number}});
      source_.request_stop();
    }
  }

  sigset_t watched_{};
  std::stop_source source_;
  std::jthread thread_;
};

// The work folder by its real name: sandboxes show the system's folders as they are, links
// included, but not where a link in them leads.
Result<fs::path> make_work_folders(const fs::path& wanted, const JobUser& user) {
  std::error_code error;
  fs::create_directories(wanted.parent_path(), error);
  HONE_CHECK(make_folder(wanted, 0755));
  const fs::path work = fs::canonical(wanted, error);
  if (error) {
    return system_error("cannot find the way to " + wanted.string(), error.value());
  }
  for (const char* name : {"artifacts", "spool"}) {
    HONE_CHECK(make_folder(work / name, 0700));
  }
  HONE_CHECK(make_folder(work / "targets", 0755));
  HONE_CHECK(check_can_enter(user, work / "targets"));
  return work;
}

// What jobs are locked into: all that this machine allows. `secrets` as of ClientOptions.
Result<Sandbox> make_sandbox(const WorkerSettings& settings, const fs::path& work,
                             const std::vector<fs::path>& secrets, const JobUser& user,
                             const Toolchain& toolchain) {
  SandboxSettings wanted;
  wanted.work = work;
  wanted.slots = settings.slots;
  wanted.run_as = user.run_as;
  wanted.shared = toolchain.folders();
  wanted.shared.insert(wanted.shared.end(), settings.shared.begin(), settings.shared.end());
  wanted.hidden = settings.hidden;
  wanted.hidden.insert(wanted.hidden.end(), secrets.begin(), secrets.end());
  wanted.hidden.insert(wanted.hidden.end(), {work, default_data_folder()});
  if (geteuid() == 0 && !user.run_as) {
    wanted.warnings.emplace_back(
        "jobs run as root, who may read every file that they see; leave --job-user root out");
  }
  Sandbox sandbox = find_sandbox(wanted);
  const std::vector<std::string>& missing = sandbox.warnings();
  if (settings.require_sandbox && !missing.empty()) {
    return fail(ErrorCode::invalid_argument,
                "--require-sandbox, but on this machine\n  " + join(missing, "\n  "));
  }
  for (const std::string& warning : missing) {
    log_warning("sandbox_incomplete", {{"why", warning}});
  }
  return sandbox;
}

WorkerView describe(const WorkerSettings& settings, const Toolchain& toolchain) {
  WorkerView view;
  view.name = settings.name;
  view.machine = machine_info();
  view.labels = settings.labels;
  view.slots = static_cast<std::int64_t>(settings.slots);
  view.version = HONE_VERSION;
  if (!toolchain.plugin_found.empty()) {
    view.llvm.push_back(toolchain.compiler_major);
  }
  return view;
}

Result<void> serve(const WorkerSettings& settings, const std::stop_token& stop) {
  // It may be the work folder, which is not there at the first start.
  std::error_code failed;
  fs::create_directories(settings.lock_folder, failed);
  if (failed) {
    return system_error("cannot make " + settings.lock_folder.string(), failed.value());
  }
  HONE_TRY(const std::vector<LockedCpu> cpus,
           lock_cpus(settings.lock_folder, settings.slots, settings.cpus, 10s));
  std::vector<int> numbers;
  std::transform(cpus.begin(), cpus.end(), std::back_inserter(numbers),
                 [](const LockedCpu& cpu) { return cpu.cpu; });
  HONE_TRY(const JobUsers users, find_job_users(settings.job_user, numbers));
  const JobUser& user = users.of(0);
  HONE_TRY(ClientOptions options, resolve_client_options(settings.server));
  const std::vector<fs::path> secrets = options.secrets;
  HONE_TRY(Client client, Client::create(std::move(options)));
  HONE_TRY(const fs::path work, make_work_folders(settings.work, user));
  // Ten seconds: a worker that was killed leaves guardians that end its jobs first.
  const Result<UniqueFd> work_lock = lock_file(work / "worker.lock", 10s);
  if (!work_lock) {
    return work_lock.error().within("another worker uses this --work folder");
  }
  HONE_TRY(const Toolchain toolchain, find_toolchain(settings.toolchain, user));
  HONE_TRY(const Sandbox sandbox, make_sandbox(settings, work, secrets, user, toolchain));
  HttpJobServer server(std::move(client));
  ArtifactCache artifacts(work / "artifacts", settings.artifact_cache_mib << 20U, server);
  remove_leftovers(work / "targets", static_cast<int>(cpus.size()));
  const WorkspaceContext context{toolchain,           users,   artifacts,
                                 settings.build_jobs, sandbox, {settings.build_disk_mib << 20U}};
  WorkspacePool pool(work / "targets", settings.kept_workspaces, context);
  JobRunner runner(pool, context);
  ResultSpool spool(work / "spool");
  LeaseLoopSettings loop_settings;
  loop_settings.worker = describe(settings, toolchain);
  loop_settings.wait_seconds = settings.wait_seconds;
  loop_settings.once = settings.once;
  loop_settings.exit_when_idle = settings.exit_when_idle;
  loop_settings.heat_size = settings.heat_size;
  for (const LockedCpu& cpu : cpus) {
    const int number = static_cast<int>(loop_settings.slots.size());
    loop_settings.slots.push_back({number, cpu.cpu});
    log_info("slot", {{"number", number}, {"cpu", cpu.cpu}, {"job_user", users.of(number).name}});
  }
  return LeaseLoop(server, runner, spool, std::move(loop_settings)).run(stop);
}

int run_worker(int argc, char** argv) {
  const CommandLine line = read_command_line(argc, argv);
  if (line.ends) {
    return line.exit_code;
  }
  umask(022);  // the job's user must be able to read what we and git make
  use_log_settings(line.settings.log);
  const SignalWatch signals;
  const Result<void> served = serve(line.settings, signals.token());
  if (!served) {
    std::fprintf(stderr, "hone-worker: %s\n", served.error().describe().c_str());
    return exit_code(served.error().code);
  }
  return 0;
}

}  // namespace
}  // namespace hone

int main(int argc, char** argv) {
  try {
    return hone::run_worker(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "hone-worker: %s\n", error.what());
    return 1;
  }
}
