// Counts what a program does while it runs, by a means that the machine may not have. What every
// machine tells (times, memory) is in the run's own report.
#pragma once

#include <filesystem>
#include <memory>

#include "common/base/result.h"
#include "common/base/subprocess.h"
#include "common/protocol/values.h"
#include "staging/sandbox/sandbox.h"

namespace hone {

// Not thread safe: start() and finish() belong to the thread that runs the program between them.
class RunCounter {
 public:
  virtual ~RunCounter() = default;

  // Before each run; may change how the program is started and what it may use. An error means that
  // it cannot be counted and must not be run.
  virtual Result<void> start(Command& command, SandboxView& view) = 0;

  // After it, however it ended: what the program and everything that it started was counted.
  virtual Result<double> finish() = 0;
};

// The counter that a metric needs; none (nullptr) if it needs none. `folder` is ours alone, and the
// programs' user may reach what lies in it; it is not touched before the first run.
//
// The machine is asked, nothing is assumed: unsupported, with the reason and what would help, where
// it cannot count this.
Result<std::unique_ptr<RunCounter>> make_run_counter(Metric metric,
                                                     const std::filesystem::path& folder);

}  // namespace hone
