#include "staging/verdict/metric_value.h"

#include <algorithm>
#include <cmath>

namespace hone {
namespace {

constexpr double kShortestSample = 0.020;
constexpr double kShortestSampleOfEnergy = 0.5;
constexpr double kMostRuns = 50;

double raw_value(const BenchmarkRun& run, Metric metric) {
  switch (metric) {
    case Metric::cpu_time:
    case Metric::compile_time:
      return run.cpu_seconds;
    case Metric::wall_time:
      return run.wall_seconds;
    case Metric::printed:
      return run.printed.value_or(0);
    case Metric::peak_rss_bytes:
      return static_cast<double>(run.peak_rss_bytes);
    case Metric::instructions:
    case Metric::hardware_instructions:
    case Metric::cycles:
    case Metric::energy:
      return run.counted.value_or(0);
    case Metric::text_bytes:
    case Metric::binary_bytes:
      break;
  }
  return 0;
}

bool higher_is_better(const MetricSpec& metric) {
  return metric.metric == Metric::printed && metric.higher_is_better;
}

}  // namespace

Result<double> metric_value(const BenchmarkRun& run, Metric metric) {
  const double value = raw_value(run, metric);
  if (!std::isfinite(value) || value <= 0) {
    return fail(ErrorCode::invalid_argument, std::string(to_string(metric)) + " of " +
                                                 std::to_string(value) + " is not above zero");
  }
  return value;
}

Result<PairedSample> paired_metric(const MetricSpec& metric, double baseline, double candidate,
                                   RunOrder order) {
  return higher_is_better(metric) ? paired_sample(candidate, baseline, order)
                                  : paired_sample(baseline, candidate, order);
}

double log_cost(const MetricSpec& metric, double value) {
  return higher_is_better(metric) ? -std::log(value) : std::log(value);
}

std::string_view emulation_caveat(Metric metric) {
  return metric == Metric::instructions ? "valgrind knows no AVX-512, has long double in 64 bits "
                                          "only and is a hundred times as "
                                          "slow"
                                        : "";
}

int runs_per_sample(Metric metric, const BenchmarkRun& one) {
  double wanted = kShortestSample;
  double seconds = one.cpu_seconds;
  switch (metric) {
    case Metric::cpu_time:
    case Metric::cycles:
      break;
    case Metric::wall_time:
      seconds = one.wall_seconds;
      break;
    case Metric::energy:
      wanted = kShortestSampleOfEnergy;
      seconds = one.wall_seconds;
      break;
    default:
      return 1;
  }
  const double needed = std::ceil(wanted / std::max(seconds, 1e-4));
  return static_cast<int>(std::clamp(needed, 1.0, kMostRuns));
}

}  // namespace hone
