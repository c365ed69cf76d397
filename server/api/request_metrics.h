// How requests were answered and what that took, for /metrics. A part of Metrics; not thread safe.
#pragma once

#include <compare>
#include <map>

#include "server/api/metric_families.h"
#include "server/http/http_server.h"

namespace hone {

class RequestMetrics {
 public:
  explicit RequestMetrics(prometheus::Registry& registry);

  void finished(const RequestRecord& record);

 private:
  struct Key {
    const char* route;  // of the table of routes, or a literal: the same text lies at one place
    const char* method;
    int status;
    auto operator<=>(const Key&) const = default;
  };
  struct Found {
    prometheus::Counter* count;
    prometheus::Histogram* latency;
  };

  Counters& requests_;
  Histograms& latency_;
  // Found by pointers, since finding a metric by its labels costs more than a small request.
  std::map<Key, Found> found_;
};

}  // namespace hone
