// What a benchmark is measured by. Plain values.
#pragma once

#include <optional>
#include <string>

#include "common/base/result.h"
#include "common/json/object_reader.h"
#include "common/protocol/values.h"

namespace hone {

// With the metric `printed`, exactly one of pattern, json and format says where in standard output
// the number is.
struct MetricSpec {
  Metric metric = Metric::cpu_time;
  std::string pattern{};  // ECMAScript regular expression, its group 1 is the number
  std::string json{};     // JSON Pointer (RFC 6901) into output that is one JSON document
  std::optional<MetricFormat> format{};  // output is a report of this kind
  std::string benchmark{};        // with a format: which one; empty: the geometric mean of all
  std::string field{};            // with a format: which of its numbers; empty: the usual one
  bool higher_is_better = false;  // printed: true for throughput
  bool operator==(const MetricSpec&) const = default;
};

// Whether the metric is the size of what was built, and so known without a run.
bool is_file_size(Metric metric);

// Whether the metric is what a build takes: nothing of it depends on a run, its input or its links.
bool is_of_build(Metric metric);

// Whether every run of a program gives the same number, as a rule: two that agree then say it all,
// and where the program's code lies makes no difference.
bool is_repeatable(Metric metric);

Json to_json(const MetricSpec& metric);
MetricSpec read_metric(ObjectReader& reader);
Result<MetricSpec> parse_metric_spec(const Json& document);

}  // namespace hone
