// What canaries see of the world outside: time, metrics, traffic. Tests make their own. Not thread
// safe.
#pragma once

#include <functional>
#include <memory>

#include <boost/asio/any_io_executor.hpp>

#include "common/protocol/service_spec.h"
#include "server/canaries/metrics_source.h"
#include "server/canaries/traffic_driver.h"

namespace hone {

struct CanaryWorld {
  // Seconds since 1970.
  std::function<double()> now;
  std::function<std::unique_ptr<MetricsSource>(const ServiceSpec& service)> metrics;
  std::function<std::unique_ptr<TrafficDriver>(const TrafficPlace& place)> traffic;
};

// Of this process: the clock, Prometheus on threads of `gate`, HAProxy or a manifest.
CanaryWorld real_canary_world(boost::asio::any_io_executor executor,
                              std::shared_ptr<BlockingGate> gate);

}  // namespace hone
