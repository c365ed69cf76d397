// Where a service's traffic is shared out between baseline and canary. Plain values; thread safe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/json/object_reader.h"

namespace hone {

struct HaproxyPlace {
  std::string socket;                 // absolute path of the stats socket
  std::string backend;                // that both groups are in
  std::vector<std::string> baseline;  // names of servers, at least one
  std::vector<std::string> canary;    // likewise, none of them in both
  bool operator==(const HaproxyPlace&) const = default;
};

struct ManifestPlace {
  std::string file;      // absolute path, its folder is there
  std::string name;      // of the TrafficSplit; an RFC 1123 label, as the services' names
  std::string service;   // that clients ask
  std::string baseline;  // service of the baseline
  std::string canary;    // service of the canary
  bool operator==(const ManifestPlace&) const = default;
};

// Exactly one of the two.
struct TrafficPlace {
  std::optional<HaproxyPlace> haproxy;
  std::optional<ManifestPlace> manifest;
  bool operator==(const TrafficPlace&) const = default;
};

// An object with one of the members haproxy and manifest; problems are noted.
TrafficPlace read_traffic_place(ObjectReader& reader);
Json to_json(const TrafficPlace& traffic);

}  // namespace hone
