#include "common/protocol/metric_spec.h"

#include <regex>

#include <nlohmann/json.hpp>

#include "common/protocol/fields.h"

namespace hone {
namespace {

void check_pattern(ObjectReader& reader, const std::string& pattern) {
  try {
    if (std::regex(pattern).mark_count() < 1) {
      reader.refuse("pattern", "must have a group: ( ) around the number");
    }
  } catch (const std::regex_error& error) {
    reader.refuse("pattern", std::string("is no ECMAScript regular expression: ") + error.what());
  }
}

void check_pointer(ObjectReader& reader, const std::string& pointer) {
  try {
    static_cast<void>(Json::json_pointer(pointer));
  } catch (const nlohmann::json::exception&) {
    reader.refuse("json", "is no JSON pointer: want one like /results/0/mean");
  }
}

// What goes with `printed` only.
void refuse_details(ObjectReader& reader) {
  for (const char* const key : {"pattern", "json", "format", "benchmark", "field"}) {
    if (reader.has(key)) {
      reader.refuse(key, "goes with metric \"printed\" only");
    }
  }
}

}  // namespace

MetricSpec read_metric(ObjectReader& reader) {
  MetricSpec spec;
  spec.metric =
      reader.optional_one_of("metric", parse_metric, kMetricChoices).value_or(Metric::cpu_time);
  spec.pattern = text_or_empty(reader, "pattern", 512);
  spec.json = text_or_empty(reader, "json", 512);
  spec.format = reader.optional_one_of("format", parse_metric_format, kMetricFormatChoices);
  spec.benchmark = text_or_empty(reader, "benchmark", 1024);
  spec.field = text_or_empty(reader, "field", 256);
  spec.higher_is_better = reader.optional_truth("higher_is_better").value_or(false);
  if (spec.metric != Metric::printed) {
    refuse_details(reader);
    if (spec.higher_is_better) {
      reader.refuse("higher_is_better", "goes with metric \"printed\" only");
    }
    return spec;
  }
  const int ways =
      (spec.pattern.empty() ? 0 : 1) + (spec.json.empty() ? 0 : 1) + (reader.has("format") ? 1 : 0);
  if (ways != 1) {
    reader.refuse(spec.pattern.empty() && ways > 0 ? "json" : "pattern",
                  "metric \"printed\" needs exactly one of pattern (a regular expression whose "
                  "group 1 is the number), json (a JSON pointer) and format");
    return spec;
  }
  if (!reader.has("format") && (reader.has("benchmark") || reader.has("field"))) {
    reader.refuse(reader.has("benchmark") ? "benchmark" : "field", "goes with a format only");
  }
  if (!spec.pattern.empty()) {
    check_pattern(reader, spec.pattern);
  } else if (!spec.json.empty()) {
    check_pointer(reader, spec.json);
  }
  return spec;
}

bool is_file_size(Metric metric) {
  return metric == Metric::text_bytes || metric == Metric::binary_bytes;
}

bool is_of_build(Metric metric) {
  return metric == Metric::compile_time;
}

bool is_repeatable(Metric metric) {
  return is_file_size(metric) || metric == Metric::instructions;
}

Json to_json(const MetricSpec& metric) {
  return Json{{"metric", spelling(metric.metric)},
              {"pattern", null_if_empty(metric.pattern)},
              {"json", null_if_empty(metric.json)},
              {"format", spelling_or_null(metric.format)},
              {"benchmark", null_if_empty(metric.benchmark)},
              {"field", null_if_empty(metric.field)},
              {"higher_is_better", metric.higher_is_better}};
}

Result<MetricSpec> parse_metric_spec(const Json& document) {
  return parse_document(document, UnknownKeys::refuse, "metric", read_metric);
}

}  // namespace hone
