// What an operator watches: the queue, the fleet, what waits or is open here, the store and its
// disk, for /metrics. A part of Metrics, which says what each is; not thread safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string_view>

#include "server/api/metric_families.h"
#include "server/store/artifacts/disk_space.h"
#include "server/store/operations_store.h"

namespace hone {

class OperationMetrics {
 public:
  explicit OperationMetrics(prometheus::Registry& registry);

  void claim_took(double seconds);
  void removed(std::string_view what, std::int64_t rows);
  void retention_finished();
  void set_difference(bool artifacts, bool lease_seconds);
  void set_open(std::size_t event_streams, std::size_t line_streams, std::size_t lease_waits,
                std::size_t sessions);
  void set(const OperationGauges& gauges);
  void set_database_up(bool up);
  void set_disk(const DiskSpace& space);

 private:
  Histograms& claims_;
  Gauges& queued_;
  Gauges& oldest_queued_;
  Gauges& leases_;
  Gauges& lease_waits_;
  Gauges& workers_;
  Gauges& unfit_;
  Gauges& campaigns_;
  Gauges& artifacts_;
  Gauges& artifacts_bytes_;
  Gauges& streams_;
  Gauges& sessions_;
  Gauges& database_up_;
  Gauges& database_bytes_;
  Gauges& disk_free_;
  Gauges& disk_size_;
  Counters& removed_;
  Gauges& retention_finished_;
  Gauges& differences_;
  std::set<std::int64_t> priorities_;  // that were ever told
};

}  // namespace hone
