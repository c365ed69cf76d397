#include "worker/artifacts/watched_run.h"

#include <csignal>

namespace hone {

Result<SandboxReport> run_watched(const Command& command, const Sandbox& sandbox,
                                  const SandboxView& view, const DiskLimits& limits,
                                  const std::stop_token& stop) {
  for (const std::filesystem::path& folder : view.writable) {
    if (!has_room(folder, limits)) {
      return fail(ErrorCode::unavailable, "the disk of " + folder.string() + " is all but full");
    }
  }
  DiskWatch watch(view.writable, limits, stop);
  Result<SandboxReport> report = sandbox.run(command, view, watch.token());
  const DiskWatch::Finding finding = watch.finish();
  if (finding.no_room) {
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
