// Commands of the user's as the sides of a comparison or a race: run here, as ourselves, in the
// current folder. Not thread safe.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/base/file.h"
#include "common/base/result.h"
#include "staging/verdict/bench.h"

namespace hone {

struct LocalBenchSettings {
  std::string baseline;  // commands as texts (command_words.h)
  std::vector<std::string> candidates;
  std::size_t links = 1;  // {link} in the commands stands for a number from 0 to links - 1
  std::vector<std::string> environment;  // "NAME=value", beyond PATH and what every run gets
  std::chrono::seconds time_limit{60};
  MetricSpec metric;
  ComparedOutputs compared;
  // Further runs to compare, not to time: each side's program with these arguments, one text each,
  // in place of its own. No metric is read of them.
  std::vector<std::string> checks;
};

class LocalBench final : public Bench {
 public:
  // invalid_argument for no candidate or more than kMaxRaceCandidates, for a command that is none,
  // for links without {link} in both commands and the other way round, or of a metric that is the
  // same in all, for a size that is asked of no program; unsupported for a metric that this machine
  // cannot count; for files to be compared that are there already, since each run's are removed;
  // the error of a temporary folder that cannot be made.
  static Result<LocalBench> create(const LocalBenchSettings& settings);

  std::size_t candidates() const override { return commands_.size() - 1; }
  std::size_t layouts() const override { return commands_[0].size(); }
  std::optional<double> known_value(const BenchRun& wanted) const override;
  BenchmarkRun run(const BenchRun& wanted, const std::stop_token& stop) override;

 private:
  LocalBench(TemporaryFolder folder, BenchmarkRunner runner, BenchmarkRunner plain_runner)
      : folder_(std::move(folder)),
        runner_(std::move(runner)),
        plain_runner_(std::move(plain_runner)) {}
  static std::size_t side_of(const BenchRun& wanted) {
    return wanted.role == SampleRole::baseline ? 0 : 1 + wanted.candidate;
  }

  TemporaryFolder folder_;
  BenchmarkRunner runner_;
  BenchmarkRunner plain_runner_;                  // reads no metric
  std::vector<std::vector<Arguments>> commands_;  // of each link; the baseline's first
  std::vector<std::vector<Arguments>> checks_;    // of each check; the baseline's first
  std::vector<double> sizes_;                     // of each side, if the metric is one
};

}  // namespace hone
