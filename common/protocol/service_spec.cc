#include "common/protocol/service_spec.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "common/protocol/fields.h"

namespace hone {
namespace {

constexpr std::size_t kMostLabels = 16;
constexpr std::size_t kMostText = 256;

// A name of a metric or a label, by Prometheus' data model (a label's has no colon).
bool is_metric_name(std::string_view name) {
  static constexpr std::string_view kLegal =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_:0123456789";
  return !name.empty() && name.size() <= kMostText && (name.front() < '0' || name.front() > '9') &&
         name.find_first_not_of(kLegal) == std::string_view::npos;
}
bool is_label_name(std::string_view name) {
  return is_metric_name(name) && name.find(':') == std::string_view::npos;
}

std::string metric_name(ObjectReader& reader, std::string_view key, std::string otherwise) {
  std::string name =
      reader.optional_text(key, {.min_size = 0, .max_size = kMostText}).value_or(otherwise);
  if (!name.empty() && !is_metric_name(name)) {
    reader.refuse(key, "\"" + name + "\" is no name of a metric, like request_seconds");
  }
  return name;
}

ServiceMetrics read_metrics(ObjectReader& reader) {
  ServiceMetrics metrics;
  metrics.latency = metric_name(reader, "latency", metrics.latency);
  if (metrics.latency.empty()) {
    reader.refuse("latency", "must name a histogram, without _bucket");
  }
  metrics.failures = metric_name(reader, "failures", "");
  metrics.cpu = metric_name(reader, "cpu", metrics.cpu);
  return metrics;
}

ServiceObjective read_objective(ObjectReader& reader) {
  ServiceObjective objective;
  objective.good_share = reader.optional_number("good_share", 0.5, 0.999999).value_or(0.999);
  objective.latency = reader.optional_number("latency", 0, 3600).value_or(0);
  objective.window_seconds =
      reader.optional_number("window_seconds", 60, 31'536'000).value_or(2'592'000);
  return objective;
}

HardLimit read_limit(ObjectReader& reader) {
  HardLimit limit;
  limit.sli = reader.one_of("sli", parse_sli, kSliChoices);
  limit.limit = reader.number("limit", 1e-9, 3600);
  if (limit.sli == Sli::latency_spread) {
    reader.refuse("sli", "latency_spread has no absolute limit");
  }
  if (limit.sli == Sli::failure_share && limit.limit >= 1) {
    reader.refuse("limit", "must be a share of requests, below 1");
  }
  return limit;
}

void read_selector(ObjectReader& reader, std::map<std::string, std::string>& selector) {
  const Json* const labels = reader.find("selector");
  if (labels == nullptr) {
    return;
  }
  if (!labels->is_object() || labels->size() > kMostLabels) {
    reader.refuse("selector", "must be an object of at most 16 labels and their values");
    return;
  }
  for (const auto& [name, value] : labels->items()) {
    if (!is_label_name(name) || !value.is_string() || value.get<std::string>().size() > kMostText) {
      reader.refuse("selector", "\"" + name + "\" is no label with a text as its value");
      return;
    }
    selector.emplace(name, value.get<std::string>());
  }
}

ServiceSpec read_service_spec(ObjectReader& reader) {
  ServiceSpec spec;
  spec.prometheus = reader.text("prometheus", {.max_size = 1024});
  if (!spec.prometheus.empty() && !spec.prometheus.starts_with("http://") &&
      !spec.prometheus.starts_with("https://")) {
    reader.refuse("prometheus", "must be an URL like http://127.0.0.1:9090");
  }
  read_selector(reader, spec.selector);
  spec.group_label = reader.optional_text("group_label", {.max_size = kMostText}).value_or("group");
  if (!is_label_name(spec.group_label) || spec.group_label == "le" ||
      spec.group_label == "__name__") {
    reader.refuse("group_label",
                  "\"" + spec.group_label + "\" is no name of a label that tells groups apart");
  }
  if (spec.selector.contains(spec.group_label)) {
    reader.refuse("selector", "must not hold the group label: both groups are read");
  }
  spec.baseline = reader.optional_text("baseline", {.max_size = kMostText}).value_or("baseline");
  spec.canary = reader.optional_text("canary", {.max_size = kMostText}).value_or("canary");
  if (spec.baseline == spec.canary) {
    reader.refuse("canary", "must differ from baseline");
  }
  reader.optional_object("metrics",
                         [&](ObjectReader& inner) { spec.metrics = read_metrics(inner); });
  spec.window_seconds = reader.optional_number("window_seconds", 1, 3600).value_or(10);
  spec.scrape_seconds = reader.optional_number("scrape_seconds", 0.1, 1800).value_or(1);
  if (spec.scrape_seconds > spec.window_seconds / 2) {
    reader.refuse("scrape_seconds", "must be at most half of window_seconds");
  }
  reader.optional_object("objective",
                         [&](ObjectReader& inner) { spec.objective = read_objective(inner); });
  reader.each("limits", std::size(kSlis), [&](ObjectReader& inner) {
    const HardLimit limit = read_limit(inner);
    if (std::ranges::any_of(spec.limits,
                            [&](const HardLimit& known) { return known.sli == limit.sli; })) {
      inner.refuse("sli", "has a limit already");
    }
    spec.limits.push_back(limit);
  });
  reader.object("traffic", [&](ObjectReader& inner) { spec.traffic = read_traffic_place(inner); });
  return spec;
}

}  // namespace

std::string_view to_string(Sli sli) {
  switch (sli) {
    case Sli::latency_p50:
      return "latency_p50";
    case Sli::latency_p95:
      return "latency_p95";
    case Sli::latency_p99:
      return "latency_p99";
    case Sli::latency_spread:
      return "latency_spread";
    case Sli::failure_share:
      return "failure_share";
    case Sli::cpu_per_request:
      return "cpu_per_request";
  }
  return "";
}

std::optional<Sli> parse_sli(std::string_view text) {
  for (const Sli sli : kSlis) {
    if (to_string(sli) == text) {
      return sli;
    }
  }
  return std::nullopt;
}

Result<ServiceSpec> parse_service_spec(const Json& document, UnknownKeys unknown) {
  return parse_document<ServiceSpec>(document, unknown, "service", read_service_spec);
}

Json to_json(const ServiceSpec& spec) {
  Json limits = Json::array();
  for (const HardLimit& limit : spec.limits) {
    limits.push_back({{"sli", spelling(limit.sli)}, {"limit", limit.limit}});
  }
  return {{"prometheus", spec.prometheus},
          {"selector", Json(spec.selector)},
          {"group_label", spec.group_label},
          {"baseline", spec.baseline},
          {"canary", spec.canary},
          {"metrics",
           {{"latency", spec.metrics.latency},
            {"failures", spec.metrics.failures},
            {"cpu", spec.metrics.cpu}}},
          {"window_seconds", spec.window_seconds},
          {"scrape_seconds", spec.scrape_seconds},
          {"objective",
           {{"good_share", spec.objective.good_share},
            {"latency", spec.objective.latency},
            {"window_seconds", spec.objective.window_seconds}}},
          {"limits", std::move(limits)},
          {"traffic", to_json(spec.traffic)}};
}

}  // namespace hone
