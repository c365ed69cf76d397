#include "staging/sandbox/sandbox_support.h"

#include <unistd.h>

#include <array>

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

// Why a program cannot be run with these parts; empty if it can.
std::string trouble(const SandboxParts& parts, const std::optional<RunAs>& run_as) {
  Command command;
  command.arguments = {"true"};
  command.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C"};
  command.working_folder = "/";
  command.limits.wall_time = std::chrono::seconds(20);
  command.limits.processes = 64;
  command.run_as = run_as;
  SandboxView view;
  view.memory_bytes = std::uint64_t{256} << 20U;
  const Result<SandboxReport> report = Sandbox(parts).run(command, view);
  if (!report) {
    return report.error().message;
  }
  return report->run.ok() ? "" : "a trial run ended with " + report->run.describe_end();
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
  SandboxParts trial;
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
  if (const std::string why = trouble(trial, settings.run_as); !why.empty()) {
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
  const std::string why = filter ? trouble(trial, settings.run_as) : filter.error().message;
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
  for (const fs::path& path : settings.hidden) {
    std::error_code gone;
    if (const fs::path there = fs::canonical(path, gone); !gone) {
      parts.hidden.push_back(there);
    }
  }
  try_namespaces(settings, parts);
  try_groups(settings, parts);
  return Sandbox(std::move(parts));
}

}  // namespace hone
