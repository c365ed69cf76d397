#include "server/api/metric_families.h"

namespace hone {

Counters& add_counters(prometheus::Registry& registry, const std::string& name,
                       const std::string& help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
}

Gauges& add_gauges(prometheus::Registry& registry, const std::string& name,
                   const std::string& help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry);
}

Histograms& add_histograms(prometheus::Registry& registry, const std::string& name,
                           const std::string& help) {
  return prometheus::BuildHistogram().Name(name).Help(help).Register(registry);
}

void set_gauge(Gauges& family, const prometheus::Labels& labels, double value) {
  family.Add(labels).Set(value);
}

}  // namespace hone
