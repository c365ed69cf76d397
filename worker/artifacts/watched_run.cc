#include "worker/artifacts/watched_run.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <vector>

namespace hone {
namespace {

// What it prints there is its own, wherever the files lie.
std::vector<std::filesystem::path> output_files(const Command& command) {
  std::vector<std::filesystem::path> files;
  for (const std::filesystem::path& file : {command.stdout_file, command.stderr_file}) {
    if (!file.empty() && std::find(files.begin(), files.end(), file) == files.end()) {
      files.push_back(file);
    }
  }
  return files;
}

}  // namespace

Result<SandboxReport> run_watched(const Command& command, const Sandbox& sandbox,
                                  const SandboxView& view, const DiskLimits& limits,
                                  const std::stop_token& stop) {
  for (const std::filesystem::path& folder : view.writable) {
    if (!has_room(folder, limits)) {
      return fail(ErrorCode::unavailable, "the disk of " + folder.string() + " is all but full");
    }
  }
  std::atomic<pid_t> guardian = 0;
  Command watched = command;
  watched.guardian = &guardian;
  DiskWatch watch({view.writable, output_files(command), {&guardian, sandbox.own_generations()}},
                  limits, stop);
  Result<SandboxReport> report = sandbox.run(watched, view, watch.token());
  const bool ok = report && report->run.ok();
  const DiskWatch::Finding finding =
      watch.finish(ok ? DiskWatch::StepEnd::ok : DiskWatch::StepEnd::failed);
  if (finding.no_room && !ok && !stop.stop_requested()) {
    return fail(ErrorCode::unavailable, "the disk filled up while a job was running");
  }
  if (report && !finding.limit_met.empty() && !stop.stop_requested()) {
    report->limit_met = finding.limit_met;
    report->run.end = RunEnd::signalled;
    report->run.signal = SIGKILL;
  }
  return report;
}

}  // namespace hone
