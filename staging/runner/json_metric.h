// The number in a benchmark's output that is one JSON document: where a JSON Pointer (RFC 6901)
// says, or as these formats have it:
//   google_benchmark   Google Benchmark 1.7's --benchmark_format=json: of each entry of
//   `benchmarks`
//                      that is a run (if there are aggregates alone, the medians), its cpu_time, in
//                      seconds by time_unit; other fields as they are
//   hyperfine          hyperfine 1.15's --export-json: the mean of each entry of `results`
//   bmf                Bencher Metric Format: the value of the measure `latency` of each benchmark
// `benchmark` names one (run name, command, name); without, it is the geometric mean of all, each
// counting alike however long it runs. `field` names another field or measure. Immutable, thread
// safe.
#pragma once

#include <string>
#include <string_view>

#include "staging/runner/output_metric.h"

namespace hone {

class JsonMetric final : public OutputMetric {
 public:
  // invalid_argument for a pointer that is none, or neither pointer nor format.
  static Result<JsonMetric> create(const MetricSpec& spec);

  // The rest is the document without the number, or with a format the benchmarks' names (of
  // hyperfine, whose names are commands, only how many): their other numbers and the context (date,
  // load) vary from run to run.
  Result<PrintedMetric> find(std::string_view output) const override;

 private:
  explicit JsonMetric(MetricSpec spec) : spec_(std::move(spec)) {}
  MetricSpec spec_;
};

}  // namespace hone
