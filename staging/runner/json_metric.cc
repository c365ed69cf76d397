#include "staging/runner/json_metric.h"

#include <cmath>
#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

#include "common/json/document.h"

namespace hone {
namespace {

struct Entry {
  std::string name;
  std::optional<double> value;
};

const Json* member(const Json& object, const std::string& key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found == object.end() || !object.is_object() ? nullptr : &*found;
}

std::string text_of(const Json& object, const std::string& key) {
  const Json* const value = member(object, key);
  return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
}

std::optional<double> number_of(const Json* value) {
  return value != nullptr && value->is_number() ? std::optional(value->get<double>())
                                                : std::nullopt;
}

double seconds_per(const std::string& unit) {
  return unit == "s" ? 1 : unit == "ms" ? 1e-3 : unit == "us" ? 1e-6 : 1e-9;
}

// The runs, or, of a report of aggregates only, the medians.
std::vector<Entry> google_benchmark(const Json& document, const std::string& field) {
  std::vector<Entry> runs;
  std::vector<Entry> medians;
  const Json* const list = member(document, "benchmarks");
  for (const Json& item : list != nullptr && list->is_array() ? *list : Json::array()) {
    const bool aggregate = text_of(item, "run_type") == "aggregate";
    if (aggregate && text_of(item, "aggregate_name") != "median") {
      continue;
    }
    std::string name = text_of(item, "run_name");
    if (name.empty()) {
      name = text_of(item, "name");
    }
    std::optional<double> value = number_of(member(item, field));
    if (value && field.ends_with("_time")) {
      *value *= seconds_per(text_of(item, "time_unit"));
    }
    const Json* const error = member(item, "error_occurred");
    if (error != nullptr && *error == true) {
      value.reset();
    }
    (aggregate ? medians : runs).push_back({std::move(name), value});
  }
  return runs.empty() ? medians : runs;
}

std::vector<Entry> hyperfine(const Json& document, const std::string& field) {
  std::vector<Entry> entries;
  const Json* const list = member(document, "results");
  for (const Json& item : list != nullptr && list->is_array() ? *list : Json::array()) {
    entries.push_back({text_of(item, "command"), number_of(member(item, field))});
  }
  return entries;
}

std::vector<Entry> bencher(const Json& document, const std::string& measure) {
  std::vector<Entry> entries;
  if (document.is_object()) {
    for (const auto& [name, measures] : document.items()) {
      const Json* const found = member(measures, measure);
      entries.push_back(
          {name, found == nullptr ? std::nullopt : number_of(member(*found, "value"))});
    }
  }
  return entries;
}

Result<PrintedMetric> geometric_mean(const std::vector<Entry>& entries, const MetricSpec& spec,
                                     const std::string& field) {
  double logarithms = 0;
  std::size_t count = 0;
  PrintedMetric metric;
  for (const Entry& entry : entries) {
    // hyperfine's are the commands, which differ where binaries do.
    metric.rest += (spec.format == MetricFormat::hyperfine ? "" : entry.name) + "\n";
    if (!spec.benchmark.empty() && entry.name != spec.benchmark) {
      continue;
    }
    if (!entry.value || !std::isfinite(*entry.value) || *entry.value <= 0) {
      return fail(ErrorCode::not_found,
                  "benchmark '" + entry.name + "' of its output has no '" + field + "' above 0");
    }
    logarithms += std::log(*entry.value);
    ++count;
  }
  if (count == 0) {
    return fail(ErrorCode::not_found,
                "its output has no benchmark" +
                    (spec.benchmark.empty() ? std::string() : " '" + spec.benchmark + "'") +
                    " in the format " + std::string(to_string(*spec.format)));
  }
  metric.value = std::exp(logarithms / static_cast<double>(count));
  return metric;
}

Result<PrintedMetric> at_pointer(Json document, const std::string& pointer) {
  const Json::json_pointer place(pointer);
  const Json* const found = document.contains(place) ? &document.at(place) : nullptr;
  const std::optional<double> value = number_of(found);
  if (!value || !std::isfinite(*value)) {
    return fail(ErrorCode::not_found, "its output, a JSON document, has no number at " + pointer);
  }
  document.at(place) = nullptr;
  return PrintedMetric{*value, dump_json(document)};
}

}  // namespace

Result<JsonMetric> JsonMetric::create(const MetricSpec& spec) {
  if (!spec.format && spec.json.empty()) {
    return fail(ErrorCode::invalid_argument,
                "the metric \"printed\" needs a pattern, a JSON pointer or a format");
  }
  // json_pointer reports by exception only.
  try {
    static_cast<void>(Json::json_pointer(spec.json));
  } catch (const nlohmann::json::exception& error) {
    return fail(ErrorCode::invalid_argument,
                "the metric's json '" + spec.json + "' is no JSON pointer: " + error.what());
  }
  return JsonMetric(spec);
}

Result<PrintedMetric> JsonMetric::find(std::string_view output) const {
  Result<Json> document = parse_json(output);
  if (!document) {
    return fail(ErrorCode::not_found,
                "its output is not one JSON document: " + document.error().message);
  }
  if (!spec_.format) {
    return at_pointer(*std::move(document), spec_.json);
  }
  const auto field_or = [this](const char* usual) {
    return spec_.field.empty() ? std::string(usual) : spec_.field;
  };
  std::string field;
  std::vector<Entry> entries;
  switch (*spec_.format) {
    case MetricFormat::google_benchmark:
      field = field_or("cpu_time");
      entries = google_benchmark(*document, field);
      break;
    case MetricFormat::hyperfine:
      field = field_or("mean");
      entries = hyperfine(*document, field);
      break;
    case MetricFormat::bmf:
      field = field_or("latency");
      entries = bencher(*document, field);
      break;
  }
  return geometric_mean(entries, spec_, field);
}

}  // namespace hone
