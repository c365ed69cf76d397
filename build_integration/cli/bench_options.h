// The options of `hone bench`. Thread safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "build_integration/cli/local_bench.h"
#include "staging/verdict/comparison.h"

namespace CLI {
class App;
}

namespace hone {

// As given; check_bench() makes the bench's metric of it.
struct MetricOptions {
  std::string name;
  std::string pattern;
  std::string json;
  std::string format;
  std::string benchmark;
  std::string field;
  bool higher_is_better = false;
};

struct BenchOptions {
  LocalBenchSettings bench;
  MetricOptions metric;
  std::vector<std::string> exports;
  std::size_t most_pairs = kConfirmPairs;
  double noise_floor_percent = 1;
  std::int64_t time_limit = 60;
  std::uint64_t seed = 0;
  bool any_output = false;
  std::string tolerance;  // as given; check_bench() reads it
  std::optional<Tolerance> allowed;
};

// References are kept to both until the command line is read.
void add_bench_options(CLI::App& command, BenchOptions& options);

// Before anything is measured: a file name that nothing can be written to costs minutes otherwise.
// invalid_argument for what is no metric, file, variable or tolerance; fills options.bench.metric
// and options.allowed.
Result<void> check_bench(BenchOptions& options);

// What a target with these options would say of the comparison; after check_bench().
BenchmarkSpec benchmark_of(const BenchOptions& options);

}  // namespace hone
