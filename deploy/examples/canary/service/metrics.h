// What the service tells Prometheus: latencies in fine buckets, failures, processor time. That of
// the requests is counted apart from the process's: being scraped takes some, too, which a group
// with little traffic spreads over few requests. Thread safe.
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
  // `seconds` by the clock, `worked` of processor time.
  void served(double seconds, double worked, bool failed);

 private:
  std::shared_ptr<prometheus::Registry> registry_;
  std::shared_ptr<prometheus::Collectable> process_;
  prometheus::Exposer exposer_;
  prometheus::Histogram& latency_;
  prometheus::Counter& failures_;
  prometheus::Counter& worked_;
};
