// What canaries see of the world outside: time, metrics, traffic. Tests make their own. Not thread
// safe.
#pragma once

#include <functional>
#include <memory>

#include <boost/asio/any_io_executor.hpp>

#include "common/protocol/service_spec.h"
#include "server/canaries/metrics_source.h"
#include "server/canaries/traffic_driver.h"
#include "server/rewards/sli_window.h"

namespace hone {

struct CanaryWorld {
  // Seconds since 1970.
  std::function<double()> now;
  std::function<std::unique_ptr<MetricsSource>(const ServiceSpec& service)> metrics;
  std::function<std::unique_ptr<TrafficDriver>(const TrafficPlace& place)> traffic;
  // A window was looked at: ok, or what was wrong with the canary's, else with the baseline's. May
  // be empty.
  std::function<void(WindowOutcome outcome)> window_taken = {};
  // A reward could not be stored; whether that may pass by itself. May be empty.
  std::function<void(bool passing)> reward_failed = {};
};

// Of this process: the clock, Prometheus on threads of `gate`, HAProxy or a manifest.
CanaryWorld real_canary_world(boost::asio::any_io_executor executor,
                              std::shared_ptr<BlockingGate> gate);

}  // namespace hone
