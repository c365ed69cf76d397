// What a comparison or a race measures: the binaries of a job, behind an interface so that the
// procedures can be tested with runs that are made up.
#pragma once

#include <cstddef>
#include <optional>
#include <stop_token>

#include "common/protocol/values.h"
#include "staging/runner/benchmark_runner.h"

namespace hone {

// Which run is wanted.
struct BenchRun {
  SampleRole role = SampleRole::baseline;
  std::size_t input = 0;      // its number; the first check's is that of the last input and one
  std::size_t layout = 0;     // which link of the side's binary; of checks the plain one alone
  std::size_t padding = 0;    // bytes by which the stack is shifted
  std::size_t candidate = 0;  // with role candidate: which one, below the bench's candidates()
  RunPurpose purpose = RunPurpose::measure;
};

class Bench {
 public:
  virtual ~Bench() = default;
  // How many candidates there are: at least 1.
  virtual std::size_t candidates() const { return 1; }
  // How many links of its binary each side has, in different order: at least 1.
  virtual std::size_t layouts() const { return 1; }
  // The metric of a side where that is the size of its files, and so known without a run.
  virtual std::optional<double> known_value(const BenchRun& /*wanted*/) const {
    return std::nullopt;
  }
  // Blocks; a stop request ends it soon, with run class stopped.
  virtual BenchmarkRun run(const BenchRun& wanted, const std::stop_token& stop) = 0;
};

}  // namespace hone
