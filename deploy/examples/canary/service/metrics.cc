#include "metrics.h"

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>
#include <sys/resource.h>

#include <vector>

namespace {

// Steps of 6 % from 50 us to 5 s, so that a quantile is known within some 3 %.
prometheus::Histogram::BucketBoundaries fine_buckets() {
  std::vector<double> bounds;
  for (double bound = 50e-6; bound < 5; bound *= 1.06) {
    bounds.push_back(bound);
  }
  return bounds;
}

// process_cpu_seconds_total, which the library does not bring itself.
class ProcessTime : public prometheus::Collectable {
 public:
  std::vector<prometheus::MetricFamily> Collect() const override {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    prometheus::ClientMetric metric;
    metric.counter.value =
        static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
        1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    prometheus::MetricFamily family;
    family.name = "process_cpu_seconds_total";
    family.help = "User and system time of the process";
    family.type = prometheus::MetricType::Counter;
    family.metric.push_back(metric);
    return {family};
  }
};

}  // namespace

Metrics::Metrics(const std::string& address)
    : registry_(std::make_shared<prometheus::Registry>()),
      process_(std::make_shared<ProcessTime>()),
      exposer_(address),
      latency_(prometheus::BuildHistogram()
                   .Name("request_seconds")
                   .Help("From a request's last byte to its answer's")
                   .Register(*registry_)
                   .Add({}, fine_buckets())),
      failures_(prometheus::BuildCounter()
                    .Name("request_failures_total")
                    .Help("Requests answered with 5xx")
                    .Register(*registry_)
                    .Add({})),
      worked_(prometheus::BuildCounter()
                  .Name("request_cpu_seconds_total")
                  .Help("Processor time of the requests alone")
                  .Register(*registry_)
                  .Add({})) {
  exposer_.RegisterCollectable(registry_);
  exposer_.RegisterCollectable(process_);
}

void Metrics::served(double seconds, double worked, bool failed) {
  latency_.Observe(seconds);
  worked_.Increment(worked);
  if (failed) {
    failures_.Increment();
  }
}
