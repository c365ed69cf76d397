// Where service level indicators are read: Prometheus, or a script in tests. Not thread safe.
#pragma once

#include <memory>
#include <string>

#include "common/base/result.h"
#include "server/store/artifacts/blocking_pool.h"
#include "server/store/async.h"

namespace hone {

class MetricsSource {
 public:
  virtual ~MetricsSource() = default;
  // The reply's text of an instant query at that time (seconds since 1970). unavailable, timed_out;
  // invalid_argument for a query that is refused.
  virtual Async<std::string> query(std::string promql, double at) = 0;
};

// invalid_argument for what is no address of a Prometheus.
Result<void> check_address(const std::string& prometheus);

// Prometheus' HTTP API (2.42, /api/v1/query), on threads of `gate`. Replies beyond 16 MiB are
// refused: longer ones would keep honed from everything else while they are read.
class PrometheusSource : public MetricsSource {
 public:
  PrometheusSource(std::string url, std::shared_ptr<BlockingGate> gate)
      : url_(std::move(url)), gate_(std::move(gate)) {}

  Async<std::string> query(std::string promql, double at) override;

 private:
  std::string url_;
  std::shared_ptr<BlockingGate> gate_;
};

}  // namespace hone
