#include "server/canaries/canary_world.h"

#include <chrono>

#include "server/canaries/haproxy_driver.h"
#include "server/canaries/manifest_driver.h"

namespace hone {

CanaryWorld real_canary_world(boost::asio::any_io_executor executor,
                              std::shared_ptr<BlockingGate> gate) {
  CanaryWorld world;
  world.now = [] {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration<double>(now).count();
  };
  world.metrics = [gate = std::move(gate)](const ServiceSpec& service) {
    return std::make_unique<PrometheusSource>(service.prometheus, gate);
  };
  world.traffic = [executor = std::move(executor)](
                      const TrafficPlace& place) -> std::unique_ptr<TrafficDriver> {
    if (place.haproxy) {
      return std::make_unique<HaproxyDriver>(executor, *place.haproxy);
    }
    return std::make_unique<ManifestDriver>(place.manifest.value_or(ManifestPlace{}));
  };
  return world;
}

}  // namespace hone
