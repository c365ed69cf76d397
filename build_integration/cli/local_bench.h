// Commands of the user's as the sides of a comparison or a race: run here, as ourselves, in the
// current folder. Not thread safe.
#pragma once

#include <chrono>
#include <filesystem>
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
};

class LocalBench final : public Bench {
 public:
  // invalid_argument for no candidate or more than kMaxRaceCandidates, for a command that is none,
  // for links without {link} in both commands and the other way round; the error of a temporary
  // folder that cannot be made.
  static Result<LocalBench> create(const LocalBenchSettings& settings);

  std::size_t candidates() const override { return commands_.size() - 1; }
  std::size_t layouts() const override { return commands_[0].size(); }
  BenchmarkRun run(const BenchRun& wanted, const std::stop_token& stop) override;

 private:
  LocalBench(TemporaryFolder folder, BenchmarkRunner runner)
      : folder_(std::move(folder)), runner_(std::move(runner)) {}

  TemporaryFolder folder_;
  BenchmarkRunner runner_;
  std::vector<std::vector<Arguments>> commands_;  // of each link; the baseline's first
};

}  // namespace hone
