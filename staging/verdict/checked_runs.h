// Runs of a comparison or a race, each of which must be of class ok and give the reference output.
//
// References are the expected outputs of the inputs, or what the baseline gives in
// check_baseline(). Not thread safe.
#pragma once

#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "common/protocol/target_spec.h"
#include "staging/verdict/bench.h"

namespace hone {

// How a measurement ended before its verdict.
struct Ending {
  Outcome outcome = Outcome::no_data;
  std::string reason;  // which side, which input, what
};
using MaybeEnding = std::optional<Ending>;

class CheckedRuns {
 public:
  // References are kept to all three.
  CheckedRuns(Bench& bench, const BenchmarkSpec& benchmark, const std::stop_token& stop);

  // At least one: an input without a name stands for a benchmark that has none.
  const std::vector<InputSpec>& inputs() const { return inputs_; }

  // The baseline twice on each input: its outputs must agree with each other and with the expected
  // one. Also finds out how many runs make one sample.
  MaybeEnding check_baseline();
  // A candidate once on each input, after check_baseline().
  MaybeEnding check_candidate(std::size_t candidate);

  // The metric of one sample: the mean of as many runs as make one; above zero.
  MaybeEnding sample(const BenchRun& wanted, double& value);

 private:
  std::string where(std::size_t input) const;
  MaybeEnding run(const BenchRun& wanted, BenchmarkRun& made);
  // What a candidate is blamed for, unless the baseline, asked again, is no better: two runs of a
  // benchmark that seldom varies may agree by chance.
  MaybeEnding blamed(const BenchRun& wanted, Ending ending);
  Ending failed(const BenchRun& wanted, const BenchmarkRun& made) const;
  MaybeEnding wrong_output(const BenchRun& wanted, const BenchmarkRun& made) const;

  Bench& bench_;
  const BenchmarkSpec& benchmark_;
  const std::stop_token& stop_;
  std::vector<InputSpec> inputs_;
  std::vector<std::string> references_;  // of each input's output; empty: not compared
  std::vector<int> runs_;                // that make one sample, of each input
};

}  // namespace hone
