// What honed itself uses of its machine, for /metrics. A part of Metrics; not thread safe.
#pragma once

#include "server/api/metric_families.h"
#include "server/api/process_use.h"

namespace hone {

class ProcessMetrics {
 public:
  explicit ProcessMetrics(prometheus::Registry& registry);

  void set(const ProcessUse& use);

 private:
  Counters& cpu_;
  Gauges& rss_;
  Gauges& vm_;
  Gauges& fds_;
  Gauges& max_fds_;
  Gauges& start_;
};

}  // namespace hone
