// A service that serves what a target builds: how Prometheus knows it, and what it owes its users.
// Plain values; thread safe.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/json/object_reader.h"
#include "common/protocol/traffic_place.h"

namespace hone {

// Service level indicators. Each is a cost: lower is better.
enum class Sli {
  latency_p50,      // seconds
  latency_p95,      // seconds
  latency_p99,      // seconds
  latency_spread,   // ln(p95 / p5): grows when only the variance does
  failure_share,    // requests that failed, a share of all; compared by the shares that did not
  cpu_per_request,  // seconds of processor time
};

inline constexpr Sli kSlis[] = {Sli::latency_p50,    Sli::latency_p95,   Sli::latency_p99,
                                Sli::latency_spread, Sli::failure_share, Sli::cpu_per_request};

// "latency_p50" and so on, as on the wire.
std::string_view to_string(Sli sli);
std::optional<Sli> parse_sli(std::string_view text);
inline constexpr std::string_view kSliChoices =
    "latency_p50, latency_p95, latency_p99, latency_spread, failure_share and cpu_per_request";

// A limit whose breach in one window ends a canary at once.
struct HardLimit {
  Sli sli = Sli::latency_p99;  // not latency_spread
  double limit = 0;            // of the canary: seconds, or a share; above 0
  bool operator==(const HardLimit&) const = default;
};

// A service level objective and the time that it holds over.
struct ServiceObjective {
  double good_share = 0.999;          // of requests, above 0 and below 1
  double latency = 0;                 // seconds a good request takes at most; 0: any
  double window_seconds = 2'592'000;  // 60 to 31,536,000
  bool operator==(const ServiceObjective&) const = default;
};

// Names of metrics as Prometheus has them, without selectors; empty ones are not known.
struct ServiceMetrics {
  std::string latency = "request_seconds";  // a histogram: NAME_bucket is what is read
  std::string failures;                     // a counter
  std::string cpu = "process_cpu_seconds_total";
  bool operator==(const ServiceMetrics&) const = default;
};

struct ServiceSpec {
  std::string prometheus;                       // http(s)://host:port[/prefix]
  std::map<std::string, std::string> selector;  // labels that all its series have
  std::string group_label = "group";            // that tells the groups apart
  std::string baseline = "baseline";            // its values
  std::string canary = "canary";
  ServiceMetrics metrics;
  double window_seconds = 10;  // of one judgement, 1 to 3600
  double scrape_seconds = 1;   // between Prometheus' scrapes, at most half of a window
  ServiceObjective objective;
  std::vector<HardLimit> limits;  // each indicator once
  TrafficPlace traffic;
  bool operator==(const ServiceSpec&) const = default;
};

// Request body of PUT /v1/targets/{name}/service. invalid_argument naming every bad field.
Result<ServiceSpec> parse_service_spec(const Json& document, UnknownKeys unknown);
Json to_json(const ServiceSpec& spec);

}  // namespace hone
