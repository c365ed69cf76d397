// Runs of a comparison or a race, each of which must be of class ok and write what the reference
// is: the baseline's first run on that input, whose standard output must have the expected hash
// where the input has one. Outputs are compared as the benchmark says, exactly or with its
// tolerance (output_difference.h), when a run has ended. The benchmark's checks are further inputs
// that are never timed: the baseline runs each twice, a candidate once. Not thread safe.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
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

  // The names of what is timed, at least one: the inputs, which the first numbers of a BenchRun
  // stand for. Without a name: a benchmark that has no input, or a metric that is_of_build(), which
  // is the same for all.
  const std::vector<std::string>& timed() const { return timed_; }

  // The baseline twice on each input and check: its outputs must agree with each other and with the
  // expected one, and every file that is to be compared must be written somewhere. Also finds out
  // how many runs make one sample.
  MaybeEnding check_baseline();
  // A candidate once on each input and check, after check_baseline().
  MaybeEnding check_candidate(std::size_t candidate);

  // The metric of one sample: the mean of as many runs as make one; above zero.
  MaybeEnding sample(const BenchRun& wanted, double& value);

 private:
  // An input or a check.
  struct Place {
    std::string where;     // " on input 'x'", for messages
    std::string expected;  // SHA-256 of standard output, or empty
    bool compare_output = true;
    std::optional<std::vector<WrittenOutput>> reference;
  };

  std::vector<WrittenOutput> compared(const Place& place, std::vector<WrittenOutput> outputs) const;
  MaybeEnding keep_reference(Place& place, std::vector<WrittenOutput> outputs);
  MaybeEnding all_files_were_written() const;
  MaybeEnding run(const BenchRun& wanted, BenchmarkRun& made);
  // What a candidate is blamed for, unless the baseline, asked again, is no better: two runs of a
  // benchmark that seldom varies may agree by chance.
  MaybeEnding blamed(const BenchRun& wanted, Ending ending);
  Ending failed(const BenchRun& wanted, const BenchmarkRun& made) const;
  // As failed(), of a build that was to be timed.
  static MaybeEnding not_built(const BenchRun& wanted, const BenchmarkRun& made);
  MaybeEnding wrong_output(const BenchRun& wanted, BenchmarkRun& made);
  MaybeEnding differs(const BenchRun& wanted, const std::vector<WrittenOutput>& reference,
                      const std::vector<WrittenOutput>& outputs) const;

  Bench& bench_;
  const BenchmarkSpec& benchmark_;
  const std::stop_token& stop_;
  std::vector<std::string> timed_;
  std::vector<Place> places_;     // of inputs, then checks
  std::vector<int> runs_;         // that make one sample, of each that is timed
  std::uint64_t kept_bytes_ = 0;  // of text, by all references
  std::set<std::string> files_;   // that the baseline wrote
};

}  // namespace hone
