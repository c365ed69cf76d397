// The number of a run that a benchmark is judged by. Thread safe.
#pragma once

#include <string_view>

#include "common/base/result.h"
#include "common/protocol/target_spec.h"
#include "common/stats/paired_sample.h"
#include "staging/runner/benchmark_runner.h"

namespace hone {

// Of a run of class ok that was made to measure; not of a size, which is no run's.
// invalid_argument if it is not above zero, since its logarithm is needed.
Result<double> metric_value(const BenchmarkRun& run, Metric metric);

// ln(T_baseline / T_candidate), or the negative of it where higher is better: above 0, the
// candidate is better either way.
Result<PairedSample> paired_metric(const MetricSpec& metric, double baseline, double candidate,
                                   RunOrder order);

// The logarithm of a value above zero, or the negative of it where higher is better: the lower, the
// better either way.
double log_cost(const MetricSpec& metric, double value);

// Why a run that is measured may end otherwise, or print other things, than the program by itself:
// it is counted in an emulation of the processor. Empty for metrics that are measured as it runs.
std::string_view emulation_caveat(Metric metric);

// How many runs like this one a sample is the mean of, so that a sample of time or of cycles lasts
// at least 20 ms: of shorter ones, the 0.6-0.8 ms of exec and exit and their noise would be much.
// Of energy, which is told once a millisecond, half a second. At most 50; 1 for other metrics.
int runs_per_sample(Metric metric, const BenchmarkRun& one);

}  // namespace hone
