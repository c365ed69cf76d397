// Both builds with sanitizers as the sides of a check. A run in which a sanitizer reports something
// has failed, whatever its exit code, with the report as the reason. Not thread safe.
#pragma once

#include <filesystem>
#include <optional>

#include "common/base/result.h"
#include "staging/verdict/bench.h"
#include "worker/build/workspace.h"
#include "worker/run/bench_commands.h"
#include "worker/run/job_runner.h"

namespace hone {

class SanitizedBench final : public Bench {
 public:
  // invalid_argument as of bench_commands().
  static Result<SanitizedBench> create(const Workspace& workspace, const WorkspaceContext& context,
                                       const Slot& slot, const std::filesystem::path& baseline,
                                       const std::filesystem::path& candidate);

  // The target's, without a metric that only a measured run has.
  const BenchmarkSpec& benchmark() const { return benchmark_; }

  BenchmarkRun run(const BenchRun& wanted, const std::stop_token& stop) override;

  // This machine's: it could not make the sandbox of a run.
  const std::optional<Error>& trouble() const { return trouble_; }

 private:
  SanitizedBench(BenchmarkSpec benchmark, BenchmarkRunner runner, BenchmarkRunner plain_runner)
      : benchmark_(std::move(benchmark)),
        runner_(std::move(runner)),
        plain_runner_(std::move(plain_runner)) {}

  BenchmarkSpec benchmark_;
  BenchmarkRunner runner_;
  BenchmarkRunner plain_runner_;  // reads no metric
  BenchCommands commands_[2];     // of baseline and candidate
  std::optional<Error> trouble_;
};

}  // namespace hone
