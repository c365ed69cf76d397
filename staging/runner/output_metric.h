// Finds the number that a benchmark prints about itself. Immutable, thread safe.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/protocol/target_spec.h"

namespace hone {

struct PrintedMetric {
  double value = 0;
  std::string rest;  // the output without what is measured: what two runs may be compared by
};

class OutputMetric {
 public:
  virtual ~OutputMetric() = default;
  // not_found, with what was looked for, if the output has no such finite number.
  virtual Result<PrintedMetric> find(std::string_view output) const = 0;
};

// What finds the metric `printed` as its specification says: a MetricPattern or a JsonMetric.
// invalid_argument for one that says nothing, or a pattern or pointer that is none.
Result<std::unique_ptr<OutputMetric>> make_output_metric(const MetricSpec& spec);

}  // namespace hone
