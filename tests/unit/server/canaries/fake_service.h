// A made-up service and its Prometheus: both groups served by the second, with whatever harm the
// test plants, and asked as the controller asks.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/random.h"
#include "common/json/document.h"
#include "server/canaries/metrics_source.h"
#include "server/canaries/traffic_driver.h"

namespace hone {

class FakeService {
 public:
  struct Harm {
    double latency = 1;    // factor
    double failures = 0;   // share
    bool down = false;     // it is scraped no more
    bool refused = false;  // its balancer gives it nothing, whatever its share
  };

  // Serves a second: so many requests, of which the canary gets its share.
  void serve(double requests = 400) {
    const double to_canary = harm.refused ? 0 : requests * share / 100;
    add(baseline, requests - to_canary, everywhere);
    Harm both = harm;
    both.failures = std::max(harm.failures, everywhere.failures);
    add(canary, to_canary, both);
    ++now;
  }

  std::string reply(const std::string& promql, double at) const {
    const auto has = [&](const char* text) { return promql.find(text) != std::string::npos; };
    if (unreachable) {
      return {};
    }
    if (has("count by (le)")) {
      return vector_of({{"0.25", 1}, {"+Inf", 1}});
    }
    if (has("sum(increase(")) {
      const bool only_canary = has("track=\"canary\"");
      double sum = 0;
      for (const Group* group : {&baseline, &canary}) {
        if (only_canary && group == &baseline) {
          continue;
        }
        const Counters last = group->at(at);
        const Counters first = group->at(at - 60);
        sum += has("failures") ? last.failures - first.failures
               : has("le=")    ? last.buckets[kQuick] - first.buckets[kQuick]
                               : last.buckets.back() - first.buckets.back();
      }
      return vector_of({{"", sum}});
    }
    return matrix(promql, at);
  }

  double now = 1000;   // the clock's, and Prometheus'
  int share = 0;       // of traffic, as the driver set it
  int most_share = 0;  // that it ever was
  bool traffic_fails = false;
  bool unreachable = false;
  bool budget_unreachable = false;  // only what the budget is asked by
  Harm harm;                        // of the canary
  Harm everywhere;                  // of both groups

 private:
  static constexpr std::size_t kBounds = 40;
  static constexpr std::size_t kQuick = 30;

  struct Counters {
    std::vector<double> buckets = std::vector<double>(kBounds + 1, 0);  // cumulative, +Inf last
    double failures = 0;
    double cpu = 0;
  };
  struct Group {
    std::vector<std::pair<double, Counters>> scrapes;  // each second's
    Counters at(double time) const {
      Counters last;
      for (const auto& [when, counters] : scrapes) {
        if (when <= time) {
          last = counters;
        }
      }
      return last;
    }
  };

  static double bound(std::size_t i) { return 0.001 * std::pow(1.2, static_cast<double>(i)); }

  void add(Group& group, double requests, const Harm& what) {
    Counters counters = group.scrapes.empty() ? Counters{} : group.scrapes.back().second;
    for (int i = 0; i < static_cast<int>(requests); ++i) {
      const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
      const double z = radius * std::cos(2 * 3.14159265358979 * random.uniform());
      const double seconds = 0.01 * std::exp(0.4 * z) * what.latency;
      for (std::size_t b = 0; b <= kBounds; ++b) {
        counters.buckets[b] += b == kBounds || seconds <= bound(b) ? 1 : 0;
      }
      counters.failures += random.uniform() < what.failures ? 1 : 0;
      counters.cpu += 0.002 * std::exp(0.2 * z) * what.latency;
    }
    if (!what.down) {
      group.scrapes.emplace_back(now, counters);
    }
  }

  static std::string vector_of(const std::vector<std::pair<std::string, double>>& values) {
    Json result = Json::array();
    for (const auto& [le, value] : values) {
      result.push_back({{"metric", le.empty() ? Json::object() : Json{{"le", le}}},
                        {"value", {0, fmt::format("{}", value)}}});
    }
    return Json{{"status", "success"}, {"data", {{"resultType", "vector"}, {"result", result}}}}
        .dump();
  }

  std::string matrix(const std::string& promql, double at) const {
    const bool buckets = promql.find("_bucket") != std::string::npos;
    const bool failures = promql.find("failures") != std::string::npos;
    const double reach = std::stod(promql.substr(promql.rfind('[') + 1)) / 1000;
    Json result = Json::array();
    for (const auto& [name, group] :
         {std::pair<const char*, const Group*>{"stable", &baseline}, {"canary", &canary}}) {
      for (std::size_t b = buckets ? 0 : kBounds; b <= kBounds; ++b) {
        Json samples = Json::array();
        for (const auto& [when, counters] : group->scrapes) {
          if (when <= at && when > at - reach) {
            samples.push_back({when, fmt::format("{}", buckets    ? counters.buckets[b]
                                                       : failures ? counters.failures
                                                                  : counters.cpu)});
          }
        }
        Json labels{{"track", name}};
        if (buckets) {
          labels["le"] = b == kBounds ? "+Inf" : fmt::format("{}", bound(b));
        }
        if (!samples.empty()) {
          result.push_back({{"metric", labels}, {"values", samples}});
        }
      }
    }
    return Json{{"status", "success"}, {"data", {{"resultType", "matrix"}, {"result", result}}}}
        .dump();
  }

  Group baseline;
  Group canary;
  Random random{7};
};

class FakeMetrics : public MetricsSource {
 public:
  explicit FakeMetrics(FakeService& service) : service_(service) {}
  Async<std::string> query(std::string promql, double at) override {
    if (service_.unreachable ||
        (service_.budget_unreachable && promql.find("sum(increase(") != std::string::npos)) {
      co_return fail(ErrorCode::unavailable, "nobody listens");
    }
    co_return service_.reply(promql, at);
  }

 private:
  FakeService& service_;
};

class FakeTraffic : public TrafficDriver {
 public:
  explicit FakeTraffic(FakeService& service) : service_(service) {}
  Async<void> set_share(int percent) override {
    if (service_.traffic_fails) {
      co_return fail(ErrorCode::unavailable, "HAProxy does not answer");
    }
    service_.share = percent;
    service_.most_share = std::max(service_.most_share, percent);
    co_return Result<void>();
  }
  Async<int> share() override {
    if (service_.traffic_fails) {
      co_return fail(ErrorCode::unavailable, "HAProxy does not answer");
    }
    co_return service_.share;
  }

 private:
  FakeService& service_;
};

}  // namespace hone
