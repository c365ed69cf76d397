#include "server/api/request_metrics.h"

#include <string>

namespace hone {
namespace {

// Seconds. A lease's long poll lies in the last ones.
const prometheus::Histogram::BucketBoundaries kLatency{
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60};

}  // namespace

RequestMetrics::RequestMetrics(prometheus::Registry& registry)
    : requests_(add_counters(registry, "hone_http_requests_total",
                             "Requests answered, by method, route template and status")),
      latency_(add_histograms(
          registry, "hone_http_request_duration_seconds",
          "From a request's header to its answer's last byte, by route template and status")) {}

void RequestMetrics::finished(const RequestRecord& record) {
  const Key key{record.route.empty() ? nullptr : record.route.data(),
                record.method.empty() ? nullptr : record.method.data(), record.status};
  auto found = found_.find(key);
  if (found == found_.end()) {
    const std::string route(record.route.empty() ? "none" : record.route);
    const std::string method(record.method.empty() ? "none" : record.method);
    const std::string status = std::to_string(record.status);
    found =
        found_
            .emplace(
                key,
                Found{&requests_.Add({{"method", method}, {"route", route}, {"status", status}}),
                      &latency_.Add({{"route", route}, {"status", status}}, kLatency)})
            .first;
  }
  found->second.count->Increment();
  found->second.latency->Observe(record.seconds);
}

}  // namespace hone
