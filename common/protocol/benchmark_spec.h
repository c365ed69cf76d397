// How a target's product is run, checked and measured: the "benchmark" of a hone.yaml. Plain
// values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/json/object_reader.h"
#include "common/protocol/commands.h"
#include "common/protocol/metric_spec.h"
#include "common/protocol/values.h"

namespace hone {

struct InputSpec {
  std::string name;
  std::string file;                    // relative to {source}
  std::string expected_output_sha256;  // of standard output; empty: the baseline's output counts
  bool operator==(const InputSpec&) const = default;
};

// How far two numbers may lie apart that count as equal: as far as the larger of both bounds
// allows. Outputs are then compared token by token (staging/verdict/tolerant_text.h).
struct Tolerance {
  double relative = 0;  // of the number that is farther from zero, at most 0.5
  double absolute = 0;
  bool operator==(const Tolerance&) const = default;
};

// A run that is compared like one on an input, but never timed. Either the benchmark's command on
// another file, or a command of its own, a test program of the product for instance; of the latter
// no metric is read.
struct CheckSpec {
  std::string name{};                    // no input and no other check has it
  Arguments command{};                   // empty: the benchmark's
  std::string file{};                    // what {input} stands for, relative to {source}
  std::string expected_output_sha256{};  // as of an input
  // Of its standard output. By default the benchmark's, and true with a command of its own.
  bool compare_output = true;
  bool operator==(const CheckSpec&) const = default;
};

inline constexpr std::int64_t kMaxBenchmarkLinks = 64;

// Candidate and baseline must agree in exit code and in all that is compared, on every input and in
// every check: exactly, or with the tolerance.
struct BenchmarkSpec {
  Arguments command;              // run in an empty folder
  std::vector<InputSpec> inputs;  // empty: one run without {input}
  std::vector<CheckSpec> checks;
  MetricSpec metric;
  bool compare_output = true;   // standard output
  bool compare_stderr = false;  // standard error; many programs print times there
  // Files that it writes: paths relative to the folder it runs in, or globs ('*' also spans '/').
  std::vector<std::string> outputs;
  std::optional<Tolerance> tolerance;  // absent: outputs are equal byte by byte
  // Before a confirmation is measured, both sides are built once more with these and run once on
  // each input and check. Each stands here at most once.
  std::vector<Sanitizer> sanitize;
  // Links of each side's program, one drawn per run, 1 to kMaxBenchmarkLinks; fewer where the build
  // can't make them. Only of a program with which the command begins: {build}/, then one of the
  // build's binaries.
  std::int64_t links = 8;
  std::int64_t timeout_seconds = 60;
  std::int64_t memory_mib = 4096;
  bool operator==(const BenchmarkSpec&) const = default;
};

BenchmarkSpec read_benchmark(ObjectReader& reader);
Json to_json(const BenchmarkSpec& benchmark);

}  // namespace hone
