// What a comparison measures: both binaries of a job, behind an interface so that the procedure can
// be tested with runs that are made up.
#pragma once

#include <cstddef>
#include <stop_token>

#include "common/protocol/values.h"
#include "staging/runner/benchmark_runner.h"

namespace hone {

class Bench {
 public:
  virtual ~Bench() = default;
  // One run of one side on the input with this number. Blocks; a stop request ends it soon, with
  // run class stopped.
  virtual BenchmarkRun run(SampleRole role, std::size_t input, std::size_t padding,
                           const std::stop_token& stop) = 0;
};

}  // namespace hone
