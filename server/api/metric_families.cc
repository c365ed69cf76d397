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

void set_targets(Gauges& family, const std::map<std::string, double>& values,
                 std::set<std::string>& told) {
  for (const std::string& target : told) {
    if (!values.contains(target)) {
      family.Remove(&family.Add({{"target", target}}));
    }
  }
  told.clear();
  for (const auto& [target, value] : values) {
    set_gauge(family, {{"target", target}}, value);
    told.insert(target);
  }
}

}  // namespace hone
