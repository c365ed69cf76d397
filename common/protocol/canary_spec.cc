#include "common/protocol/canary_spec.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/protocol/fields.h"

namespace hone {
namespace {

constexpr std::size_t kMostSteps = 32;
constexpr std::int64_t kMostWindows = 100'000;
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

void read_steps(ObjectReader& reader, std::vector<int>& steps) {
  const Json* const list = reader.find("steps");
  if (list == nullptr) {
    return;
  }
  if (!list->is_array() || list->empty() || list->size() > kMostSteps) {
    reader.refuse("steps", fmt::format("must be 1 to {} numbers", kMostSteps));
    return;
  }
  steps.clear();
  int last = 0;
  for (const Json& each : *list) {
    if (!each.is_number_integer() || each.get<std::int64_t>() <= last ||
        each.get<std::int64_t>() > 99) {
      reader.refuse("steps", "must be whole per cents of traffic that ascend, each 1 to 99");
      return;
    }
    last = each.get<int>();
    steps.push_back(last);
  }
}

RampPlan read_ramp(ObjectReader& reader) {
  RampPlan plan;
  read_steps(reader, plan.steps);
  const auto count = [&](std::string_view key, std::size_t otherwise) {
    return static_cast<std::size_t>(reader.optional_integer(key, 1, kMostWindows)
                                        .value_or(static_cast<std::int64_t>(otherwise)));
  };
  plan.step_windows = count("step_windows", plan.step_windows);
  plan.most_windows = count("most_windows", std::max(plan.most_windows, plan.step_windows));
  plan.most_lost = count("most_lost", plan.most_lost);
  if (plan.most_windows < plan.step_windows) {
    reader.refuse("most_windows", "must be step_windows at least");
  }
  plan.approval = reader.optional_one_of("approval", parse_approval, "automatic and by_hand")
                      .value_or(Approval::automatic);
  return plan;
}

SliRule read_rule(ObjectReader& reader) {
  SliRule rule;
  rule.sli = reader.one_of("sli", parse_sli, kSliChoices);
  rule.tolerance = reader.number("tolerance", 1e-6, 10);
  rule.floor = reader.optional_number("floor", 0, 10).value_or(rule.tolerance / 5);
  if (rule.floor > rule.tolerance) {
    reader.refuse("floor", "must be at most the tolerance");
  }
  return rule;
}

void read_rules(ObjectReader& reader, std::vector<SliRule>& rules) {
  if (!reader.has("rules")) {
    return;
  }
  rules.clear();
  reader.each("rules", std::size(kSlis), [&](ObjectReader& inner) {
    const SliRule rule = read_rule(inner);
    if (std::ranges::any_of(rules, [&](const SliRule& known) { return known.sli == rule.sli; })) {
      inner.refuse("sli", "has a rule already");
    }
    rules.push_back(rule);
  });
  if (rules.empty()) {
    reader.refuse("rules", "must hold a rule at least; leave it out for all indicators");
  }
}

CanarySpec read_canary_spec(ObjectReader& reader) {
  CanarySpec spec;
  spec.target = read_name(reader, "target");
  spec.policy_version = reader.integer("policy_version", 1, kMaxExactInteger);
  read_rules(reader, spec.rules);
  reader.optional_object("ramp", [&](ObjectReader& inner) { spec.ramp = read_ramp(inner); });
  reader.object("traffic", [&](ObjectReader& inner) {
    inner.optional_object("haproxy",
                          [&](ObjectReader& place) { spec.traffic.haproxy = read_haproxy(place); });
    inner.optional_object(
        "manifest", [&](ObjectReader& place) { spec.traffic.manifest = read_manifest(place); });
    if (inner.has("haproxy") == inner.has("manifest")) {
      inner.refuse("haproxy", "needs exactly one of haproxy and manifest");
    }
  });
  return spec;
}

Json traffic_to_json(const TrafficPlace& traffic) {
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

}  // namespace

std::string_view to_string(Approval approval) {
  return approval == Approval::automatic ? "automatic" : "by_hand";
}

std::optional<Approval> parse_approval(std::string_view text) {
  if (text == "automatic") {
    return Approval::automatic;
  }
  return text == "by_hand" ? std::optional(Approval::by_hand) : std::nullopt;
}

std::vector<SliRule> default_rules() {
  return {{.sli = Sli::latency_p50, .tolerance = 0.05, .floor = 0.01},
          {.sli = Sli::latency_p95, .tolerance = 0.05, .floor = 0.02},
          {.sli = Sli::latency_p99, .tolerance = 0.10, .floor = 0.03},
          {.sli = Sli::latency_spread, .tolerance = 0.10, .floor = 0.03},
          {.sli = Sli::failure_share, .tolerance = 0.005, .floor = 0.0005},
          {.sli = Sli::cpu_per_request, .tolerance = 0.03, .floor = 0.01}};
}

Result<CanarySpec> parse_canary_spec(const Json& document, UnknownKeys unknown) {
  return parse_document<CanarySpec>(document, unknown, "canary", read_canary_spec);
}

Json to_json(const CanarySpec& spec) {
  Json rules = Json::array();
  for (const SliRule& rule : spec.rules) {
    rules.push_back(
        {{"sli", spelling(rule.sli)}, {"tolerance", rule.tolerance}, {"floor", rule.floor}});
  }
  return {{"target", spec.target},
          {"policy_version", spec.policy_version},
          {"rules", std::move(rules)},
          {"ramp",
           {{"steps", spec.ramp.steps},
            {"step_windows", spec.ramp.step_windows},
            {"most_windows", spec.ramp.most_windows},
            {"most_lost", spec.ramp.most_lost},
            {"approval", spelling(spec.ramp.approval)}}},
          {"traffic", traffic_to_json(spec.traffic)}};
}

}  // namespace hone
