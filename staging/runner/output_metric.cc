#include "staging/runner/output_metric.h"

#include "staging/runner/json_metric.h"
#include "staging/runner/metric_pattern.h"

namespace hone {

Result<std::unique_ptr<OutputMetric>> make_output_metric(const MetricSpec& spec) {
  if (spec.pattern.empty()) {
    HONE_TRY(JsonMetric metric, JsonMetric::create(spec));
    return std::unique_ptr<OutputMetric>(std::make_unique<JsonMetric>(std::move(metric)));
  }
  HONE_TRY(MetricPattern metric, MetricPattern::create(spec.pattern));
  return std::unique_ptr<OutputMetric>(std::make_unique<MetricPattern>(std::move(metric)));
}

}  // namespace hone
