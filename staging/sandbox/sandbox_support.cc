#include "staging/sandbox/sandbox_support.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "common/base/file.h"
#include "common/base/text.h"
#include "staging/sandbox/bubblewrap.h"
#include "staging/sandbox/control_group_tree.h"
#include "staging/sandbox/sandbox_parts.h"
#include "staging/sandbox/seccomp_profile.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

std::string no_namespaces(const SandboxSettings& settings, const std::string& why) {
  return std::string(
             "jobs run without namespaces and system call filter (they can use the network and "
             "see other processes and whatever ") +
         (settings.run_as ? "the system shows its users): "
                          : "this worker's own user may read, its token included): ") +
         why;
}

fs::path find_bubblewrap(const SandboxSettings& settings) {
  if (!settings.bubblewrap.empty()) {
    return settings.bubblewrap;
  }
  for (const char* path : {"/usr/local/bin/bwrap", "/usr/bin/bwrap", "/bin/bwrap"}) {
    if (access(path, X_OK) == 0) {
      return path;
    }
  }
  return {};
}

fs::path find_init(const SandboxSettings& settings) {
  std::error_code error;
  return settings.init.empty()
             ? fs::read_symlink("/proc/self/exe", error).parent_path() / "hone-sandbox-init"
             : fs::absolute(settings.init);
}

Command trial_command(const std::optional<RunAs>& run_as, std::vector<std::string> arguments) {
  Command command;
  command.arguments = std::move(arguments);
  command.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C"};
  command.working_folder = "/";
  command.limits.wall_time = std::chrono::seconds(20);
  command.limits.processes = 64;
  command.run_as = run_as;
  return command;
}

// Why a program cannot be run with these parts, or cannot read the file that it is given; empty if
// it can. `given` may be empty.
std::string trouble(const SandboxParts& parts, const std::optional<RunAs>& run_as,
                    const fs::path& given = {}) {
  SandboxView view;
  view.memory_bytes = std::uint64_t{256} << 20U;
  std::vector<std::string> arguments = {"true"};
  if (!given.empty()) {
    view.readable = {given.parent_path()};
    arguments = {"cat", given.string()};
  }
  const Result<SandboxReport> report =
      Sandbox(parts).run(trial_command(run_as, std::move(arguments)), view);
  if (!report) {
    return report.error().message;
  }
  const RunReport& ran = report->run;
  const std::string said(trim(ran.stderr_text));
  return ran.ok() ? ""
                  : "a trial run ended with " + ran.describe_end() +
                        (said.empty() ? said : ", saying: " + said);
}

// A folder below the work folder with a file in it, as jobs are given theirs.
class GivenFile {
 public:
  static Result<GivenFile> create(const fs::path& work) {
    HONE_TRY(TemporaryFolder folder, TemporaryFolder::create("sandbox-trial", work));
    if (chmod(folder.path().c_str(), 0755) != 0) {
      return system_error("cannot open " + folder.path().string() + " to others", errno);
    }
    GivenFile given(std::move(folder));
    HONE_CHECK(write_file_atomically(given.path(), "given\n"));
    return given;
  }
  fs::path path() const { return folder_.path() / "file"; }

 private:
  explicit GivenFile(TemporaryFolder folder) : folder_(std::move(folder)) {}
  TemporaryFolder folder_;
};

// What is kept from other users by a folder above it cannot be seen by a program that runs as one;
// nor can bwrap, that user's too, put anything in its place.
bool is_out_of_reach(const fs::path& path, const std::optional<RunAs>& run_as) {
  std::error_code error;
  if (!run_as || !fs::exists(path, error)) {
    return false;
  }
  const Result<RunReport> there = hone::run(trial_command(run_as, {"test", "-e", path.string()}));
  return there && there->end == RunEnd::exited && there->exit_code == 1;
}

void try_groups(const SandboxSettings& settings, SandboxParts& parts) {
  constexpr const char* kAdvice =
      "; start the worker as root, or as a systemd unit with Delegate=yes";
  SandboxParts trial;
  trial.groups = ControlGroupTree::find();
  const std::vector<std::string> missing = trial.groups->missing();
  if (const std::string why = trouble(trial, settings.run_as); !why.empty()) {
    parts.warnings.push_back(
        "limits hold for each process of a job alone, not for all together: " + why + kAdvice);
    return;
  }
  if (!missing.empty()) {
    parts.warnings.push_back(
        "limits hold for each process of a job alone, not for all together: no control groups "
        "for " +
        join(missing, ", ") + kAdvice);
  }
  parts.groups = std::move(trial.groups);
}

void try_namespaces(const SandboxSettings& settings, SandboxParts& parts) {
  std::optional<GivenFile> given;
  if (!settings.work.empty()) {
    Result<GivenFile> made = GivenFile::create(settings.work);
    if (made) {
      given.emplace(*std::move(made));
    } else {
      parts.warnings.push_back("whether jobs see what they are given was not tried: " +
                               made.error().message);
    }
  }
  const fs::path file = given ? given->path() : fs::path();
  SandboxParts trial;
  trial.shared = parts.shared;
  trial.hidden = parts.hidden;
  trial.slots = parts.slots;
  trial.bubblewrap = find_bubblewrap(settings);
  trial.init = find_init(settings);
  if (trial.bubblewrap.empty()) {
    parts.warnings.push_back(
        no_namespaces(settings, "bubblewrap is missing; install it (apt-get install bubblewrap)"));
    return;
  }
  if (access(trial.init.c_str(), X_OK) != 0) {
    parts.warnings.push_back(no_namespaces(
        settings, "no program " + trial.init.string() + "; install it beside hone-worker"));
    return;
  }
  trial.system = system_arguments();
  if (const std::string why = trouble(trial, settings.run_as, file); !why.empty()) {
    parts.warnings.push_back(no_namespaces(
        settings,
        why + "; allow user namespaces (sysctl user.max_user_namespaces, "
              "kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0; "
              "in a container: options that let it make them and mount /proc)"));
    return;
  }
  Result<std::string> filter = seccomp_program();
  if (filter) {
    trial.seccomp = *std::move(filter);
  }
  const std::string why = filter ? trouble(trial, settings.run_as, file) : filter.error().message;
  if (!why.empty()) {
    trial.seccomp.clear();
    parts.warnings.push_back("jobs run without system call filter: " + why +
                             "; use a kernel with CONFIG_SECCOMP_FILTER");
  }
  parts.bubblewrap = std::move(trial.bubblewrap);
  parts.init = std::move(trial.init);
  parts.system = std::move(trial.system);
  parts.seccomp = std::move(trial.seccomp);
}

}  // namespace

Sandbox find_sandbox(const SandboxSettings& settings) {
  SandboxParts parts;
  parts.warnings = settings.warnings;
  parts.shared = settings.shared;
  parts.slots = settings.slots;
  for (const fs::path& path : settings.hidden) {
    if (!path.empty() && !is_out_of_reach(path, settings.run_as)) {
      parts.hidden.push_back(fs::absolute(path));
    }
  }
  try_namespaces(settings, parts);
  try_groups(settings, parts);
  return Sandbox(std::move(parts));
}

}  // namespace hone
