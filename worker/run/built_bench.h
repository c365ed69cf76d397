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
#include "worker/run/bench_commands.h"
#include "worker/run/job_runner.h"

namespace hone {

// What the builds made.
struct BuiltFiles {
  const std::vector<BinaryInfo>& baseline;
  const std::vector<BinaryInfo>& candidate;
};

class BuiltBench final : public Bench {
 public:
  // The error of a benchmark that cannot be run: a command with an unknown {word}, a metric that
  // says wrongly where its number is, that this machine cannot count, or that the files do not
  // have.
  static Result<BuiltBench> create(const Workspace& workspace, const Slot& slot,
                                   const WorkspaceContext& context, const BuiltFiles& files);

  std::size_t layouts() const override { return layouts_.count; }
  // Why there are fewer links than the target asks for.
  const std::vector<std::string>& warnings() const { return layouts_.warnings; }

  std::optional<double> known_value(const BenchRun& wanted) const override {
    return sizes_[side_of(wanted)];
  }
  BenchmarkRun run(const BenchRun& wanted, const std::stop_token& stop) override;

  // This machine's: it could not make the sandbox of a run. Whatever was concluded from that run is
  // void then.
  const std::optional<Error>& trouble() const { return trouble_; }

 private:
  BuiltBench(BenchmarkRunner runner, BenchmarkRunner plain_runner)
      : runner_(std::move(runner)), plain_runner_(std::move(plain_runner)) {}
  static std::size_t side_of(const BenchRun& wanted) {
    return wanted.role == SampleRole::baseline ? 0 : 1;
  }

  BenchmarkRunner runner_;
  BenchmarkRunner plain_runner_;  // reads no metric
  std::filesystem::path builds_[2];
  Layouts layouts_;
  BenchCommands commands_[2];       // by side
  std::optional<double> sizes_[2];  // by side; with a metric that is one
  std::optional<Error> trouble_;
};

}  // namespace hone
