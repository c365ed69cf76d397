// Finds the number that a benchmark prints about itself. Immutable, thread safe.
//
// The pattern is applied line by line and to the first 4096 bytes of a line: std::regex recurses
// once per character and would end the whole program on a long one. Its steps are counted, since a
// pattern such as (a+)+b takes longer than anybody lives on a line of forty letters.
#pragma once

#include <regex>
#include <string>
#include <string_view>

#include "common/base/result.h"

namespace hone {

struct PrintedMetric {
  double value = 0;
  std::string rest;  // the text without the number itself: what two runs may be compared by
};

class MetricPattern {
 public:
  // invalid_argument for what is no ECMAScript regular expression with a group 1.
  static Result<MetricPattern> create(const std::string& pattern);

  // The number in group 1 of the first line that matches; not_found if none does, or if the group
  // is no finite number; timed_out if the pattern takes too many steps.
  Result<PrintedMetric> find(std::string_view text) const;

 private:
  explicit MetricPattern(std::regex pattern) : pattern_(std::move(pattern)) {}
  std::regex pattern_;
};

}  // namespace hone
