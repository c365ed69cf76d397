#include "common/protocol/traffic_place.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace hone {
namespace {

constexpr std::size_t kMostServers = 1000;
constexpr std::size_t kMostPath = 107;  // of a Unix socket's address
constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz";
constexpr std::string_view kCapitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr std::string_view kDigits = "0123456789";

bool consists_of(std::string_view text, std::initializer_list<std::string_view> alphabets) {
  return std::ranges::all_of(text, [&](char c) {
    return std::ranges::any_of(alphabets, [&](std::string_view alphabet) {
      return alphabet.find(c) != std::string_view::npos;
    });
  });
}

// What HAProxy lets a proxy or a server be called: nothing of it can end a command or a word.
std::string haproxy_name(ObjectReader& reader, std::string_view key, std::string name) {
  if (!name.empty() && !consists_of(name, {kLetters, kCapitals, kDigits, ".:_-"})) {
    reader.refuse(key, "\"" + name + "\" is no name in HAProxy: letters, digits, . : _ and -");
  }
  return name;
}

std::vector<std::string> haproxy_servers(ObjectReader& reader, std::string_view key) {
  std::vector<std::string> servers = reader.text_list(key, kMostServers, {.max_size = 128});
  if (servers.empty()) {
    reader.refuse(key, "must name a server at least");
  }
  for (const std::string& server : servers) {
    haproxy_name(reader, key, server);
  }
  return servers;
}

std::string absolute_path(ObjectReader& reader, std::string_view key, std::size_t most) {
  std::string path = reader.text(key, {.max_size = most});
  if (!path.empty() && (path.front() != '/' || path.find('\0') != std::string::npos)) {
    reader.refuse(key, "\"" + path + "\" is no absolute path");
  }
  return path;
}

// A DNS label (RFC 1123): what Kubernetes lets a service be called.
std::string service_name(ObjectReader& reader, std::string_view key) {
  std::string name = reader.text(key, {.max_size = 63});
  if (!name.empty() &&
      (!consists_of(name, {kLetters, kDigits, "-"}) || name.front() == '-' || name.back() == '-')) {
    reader.refuse(key, "\"" + name + "\" is no name of a service: 1 to 63 of a-z, 0-9 and -");
  }
  return name;
}

HaproxyPlace read_haproxy(ObjectReader& reader) {
  HaproxyPlace place;
  place.socket = absolute_path(reader, "socket", kMostPath);
  place.backend = haproxy_name(reader, "backend", reader.text("backend", {.max_size = 128}));
  place.baseline = haproxy_servers(reader, "baseline");
  place.canary = haproxy_servers(reader, "canary");
  std::vector<std::string> all = place.baseline;
  all.insert(all.end(), place.canary.begin(), place.canary.end());
  std::ranges::sort(all);
  if (std::ranges::adjacent_find(all) != all.end()) {
    reader.refuse("canary", "names a server that is named before");
  }
  return place;
}

ManifestPlace read_manifest(ObjectReader& reader) {
  ManifestPlace place;
  place.file = absolute_path(reader, "file", 4096);
  place.name = service_name(reader, "name");
  place.service = service_name(reader, "service");
  place.baseline = service_name(reader, "baseline");
  place.canary = service_name(reader, "canary");
  if (place.baseline == place.canary) {
    reader.refuse("canary", "must differ from baseline");
  }
  return place;
}

}  // namespace

TrafficPlace read_traffic_place(ObjectReader& reader) {
  TrafficPlace traffic;
  reader.optional_object("haproxy",
                         [&](ObjectReader& place) { traffic.haproxy = read_haproxy(place); });
  reader.optional_object("manifest",
                         [&](ObjectReader& place) { traffic.manifest = read_manifest(place); });
  if (reader.has("haproxy") == reader.has("manifest")) {
    reader.refuse("haproxy", "needs exactly one of haproxy and manifest");
  }
  return traffic;
}

Json to_json(const TrafficPlace& traffic) {
  if (traffic.haproxy) {
    const HaproxyPlace& place = *traffic.haproxy;
    return {{"haproxy",
             {{"socket", place.socket},
              {"backend", place.backend},
              {"baseline", place.baseline},
              {"canary", place.canary}}}};
  }
  const ManifestPlace place = traffic.manifest.value_or(ManifestPlace{});
  return {{"manifest",
           {{"file", place.file},
            {"name", place.name},
            {"service", place.service},
            {"baseline", place.baseline},
            {"canary", place.canary}}}};
}

}  // namespace hone
