// The number in a benchmark's output that a regular expression finds. Immutable, thread safe.
//
// The pattern is applied line by line and to the first 4096 bytes of a line. Its steps, its depth
// and its time are limited (watched_characters.h), since a pattern such as (a+)+b takes longer than
// anybody lives on a line of forty letters, and std::regex recurses.
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

  // The number in group 1 of the first line that matches. not_found if none does, or if the group
  // is no finite number, with what was not looked at of a long line; timed_out if the pattern takes
  // too many steps or too long, too_large if it nests too deeply; unavailable if this machine had
  // no thread for it.
  Result<PrintedMetric> find(std::string_view text) const override;

 private:
  explicit MetricPattern(std::regex pattern) : pattern_(std::move(pattern)) {}
  Result<PrintedMetric> search(std::string_view text) const;

  std::regex pattern_;
};

}  // namespace hone
