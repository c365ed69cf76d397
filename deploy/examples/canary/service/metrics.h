// What the service tells Prometheus: latencies in fine buckets, failures, its own processor time.
// Thread safe.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/exposer.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <memory>
#include <string>

class Metrics {
 public:
  // Serves /metrics at ADDRESS:PORT.
  explicit Metrics(const std::string& address);
  void served(double seconds, bool failed);

 private:
  std::shared_ptr<prometheus::Registry> registry_;
  std::shared_ptr<prometheus::Collectable> process_;
  prometheus::Exposer exposer_;
  prometheus::Histogram& latency_;
  prometheus::Counter& failures_;
};
