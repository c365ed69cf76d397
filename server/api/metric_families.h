// Families of Prometheus' client library, in short. For the files of server/api that hold metrics.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/labels.h>
#include <prometheus/registry.h>

#include <map>
#include <set>
#include <string>

namespace hone {

using Counters = prometheus::Family<prometheus::Counter>;
using Gauges = prometheus::Family<prometheus::Gauge>;
using Histograms = prometheus::Family<prometheus::Histogram>;

// A new family of the registry, which owns it.
Counters& add_counters(prometheus::Registry& registry, const std::string& name,
                       const std::string& help);
Gauges& add_gauges(prometheus::Registry& registry, const std::string& name,
                   const std::string& help);
Histograms& add_histograms(prometheus::Registry& registry, const std::string& name,
                           const std::string& help);

void set_gauge(Gauges& family, const prometheus::Labels& labels, double value);
template <class Whole>
void set_gauge(Gauges& family, const prometheus::Labels& labels, Whole value) {
  set_gauge(family, labels, static_cast<double>(value));
}

// A gauge for each target of `values`, and none any more for the others of `told`, those that had
// one until now.
void set_targets(Gauges& family, const std::map<std::string, double>& values,
                 std::set<std::string>& told);

}  // namespace hone
