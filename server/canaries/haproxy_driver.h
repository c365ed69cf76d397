// HAProxy's runtime API over its stats socket (`stats socket PATH level admin`; management
// guide 2.6, section 9.3).
//
// Weights are set server by server, so that a coordinator which dies in between leaves a mixture.
// What takes traffic from the canary is set first: no mixture gives it more than both the old
// weights and the new ones do, and none leaves users without a server. Whoever drives next sets all
// of them again. Not thread safe.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include "common/protocol/canary_spec.h"
#include "server/canaries/traffic_driver.h"

namespace hone {

class HaproxyDriver : public TrafficDriver {
 public:
  HaproxyDriver(boost::asio::any_io_executor executor, HaproxyPlace place,
                std::chrono::milliseconds patience = std::chrono::milliseconds(2000))
      : executor_(std::move(executor)), place_(std::move(place)), patience_(patience) {}

  Async<void> set_share(int percent) override;
  Async<int> share() override;

 private:
  // One command, one answer; what HAProxy says beyond 4 KiB is refused.
  Async<std::string> ask(std::string command);
  // Sums over each group's servers.
  struct Weights {
    long baseline = 0;
    long canary = 0;
  };
  Async<void> set_weights(const std::vector<std::string>& servers, int weight);
  Async<long> weights_of(const std::vector<std::string>& servers);
  Async<Weights> weights();

  boost::asio::any_io_executor executor_;
  HaproxyPlace place_;
  std::chrono::milliseconds patience_;
};

}  // namespace hone
