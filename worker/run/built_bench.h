// Both builds of a job as the sides of a comparison, run as the target says. Not thread safe.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "staging/verdict/bench.h"
#include "worker/build/layouts.h"
#include "worker/build/workspace.h"
#include "worker/run/job_runner.h"

namespace hone {

class BuiltBench final : public Bench {
 public:
  // The error of a benchmark that cannot be run: a command with an unknown {word}, a metric that
  // says wrongly where its number is.
  static Result<BuiltBench> create(const Workspace& workspace, const Slot& slot,
                                   const WorkspaceContext& context);

  std::size_t layouts() const override { return layouts_.count; }
  // Why there are fewer links than the target asks for.
  const std::vector<std::string>& warnings() const { return layouts_.warnings; }

  BenchmarkRun run(const BenchRun& wanted, const std::stop_token& stop) override;

  // This machine's: it could not make the sandbox of a run. Whatever was concluded from that run is
  // void then.
  const std::optional<Error>& trouble() const { return trouble_; }

 private:
  explicit BuiltBench(BenchmarkRunner runner) : runner_(std::move(runner)) {}

  BenchmarkRunner runner_;
  std::filesystem::path builds_[2];
  Layouts layouts_;
  std::vector<Arguments> commands_[2];  // by side, then input
  std::optional<Error> trouble_;
};

}  // namespace hone
