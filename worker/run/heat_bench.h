// The builds of a heat as the sides of one race: each is put in place before it runs. Not thread
// safe.
#pragma once

#include <cstddef>
#include <optional>
#include <stop_token>
#include <vector>

#include "staging/verdict/bench.h"
#include "worker/build/kept_builds.h"
#include "worker/run/built_bench.h"

namespace hone {

// One candidate of it.
struct HeatSide {
  BuiltBench& bench;
  std::size_t build = 0;  // its number among the kept ones
  std::stop_token stop;   // of its own job: a run of it is then stopped, the others go on
  bool over = false;      // nobody waits for it any more
};

class HeatBench final : public Bench {
 public:
  // At least one side, all with as many links. The references are kept.
  HeatBench(KeptBuilds& builds, std::vector<HeatSide> sides)
      : builds_(builds), sides_(std::move(sides)), seconds_(sides_.size(), 0.0) {}

  std::size_t candidates() const override { return sides_.size(); }
  std::size_t layouts() const override { return sides_.front().bench.layouts(); }
  std::optional<double> known_value(const BenchRun& wanted) const override {
    return sides_[number_of(wanted)].bench.known_value(wanted);
  }
  // The baseline's runs end when every job that is not over was stopped.
  BenchmarkRun run(const BenchRun& wanted, const std::stop_token& stop) override;

  // The candidate's job has its result.
  void leave(std::size_t candidate) { sides_[candidate].over = true; }

  // This machine's, of any run: what was concluded since is void.
  const std::optional<Error>& trouble() const { return trouble_; }
  // The candidate whose run met it; nothing where it was the baseline's.
  const std::optional<std::size_t>& troubled() const { return troubled_; }
  // How long all runs of a candidate took.
  double seconds(std::size_t candidate) const { return seconds_[candidate]; }

 private:
  std::vector<std::stop_token> waiting() const;
  void note(const Error& trouble, const BenchRun& of);
  static std::size_t number_of(const BenchRun& wanted) {
    return wanted.role == SampleRole::baseline ? 0 : wanted.candidate;
  }

  KeptBuilds& builds_;
  std::vector<HeatSide> sides_;
  std::vector<double> seconds_;
  std::optional<Error> trouble_;
  std::optional<std::size_t> troubled_;
};

}  // namespace hone
