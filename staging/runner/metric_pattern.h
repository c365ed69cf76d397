// The number in a benchmark's output that a regular expression finds. Immutable, thread safe.
//
// The pattern is applied line by line and to the first 4096 bytes of a line: std::regex recurses
// once per character and would end the whole program on a long one. Its steps are counted, since a
// pattern such as (a+)+b takes longer than anybody lives on a line of forty letters.
#pragma once

#include <regex>
#include <string>
#include <string_view>

#include "staging/runner/output_metric.h"

namespace hone {

class MetricPattern final : public OutputMetric {
 public:
  // invalid_argument for what is no ECMAScript regular expression with a group 1.
  static Result<MetricPattern> create(const std::string& pattern);

  // The number in group 1 of the first line that matches; not_found if none does, or if the group
  // is no finite number; timed_out if the pattern takes too many steps.
  Result<PrintedMetric> find(std::string_view text) const override;

 private:
  explicit MetricPattern(std::regex pattern) : pattern_(std::move(pattern)) {}
  std::regex pattern_;
};

}  // namespace hone
