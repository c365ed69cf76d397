// The number of a run that a benchmark is judged by. Thread safe.
#pragma once

#include "common/base/result.h"
#include "common/protocol/target_spec.h"
#include "common/stats/paired_sample.h"
#include "staging/runner/benchmark_runner.h"

namespace hone {

// Seconds, bytes, or what was printed, of a run of class ok. invalid_argument if that is not above
// zero, since its logarithm is needed.
Result<double> metric_value(const BenchmarkRun& run, Metric metric);

// ln(T_baseline / T_candidate), or the negative of it where higher is better: above 0, the
// candidate is better either way.
Result<PairedSample> paired_metric(const MetricSpec& metric, double baseline, double candidate,
                                   RunOrder order);

// The logarithm of a value above zero, or the negative of it where higher is better: the lower, the
// better either way.
double log_cost(const MetricSpec& metric, double value);

// How many runs one sample is the mean of, so that a sample of time lasts at least 20 ms: of
// shorter ones, the 0.6-0.8 ms of exec and exit and their noise would be much. At most 50; 1 for
// metrics that are no time.
int runs_per_sample(Metric metric, double seconds_of_one);

}  // namespace hone
