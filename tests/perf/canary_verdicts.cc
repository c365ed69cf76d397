// canary_verdicts FOLDER: recorded traces judged by ours and by Kayenta's rule, for
// canary_verdicts.sh.
//
// Servers equal-* are the same program; the others have one planted fault each. Each canary is a
// segment of windows of two servers: equal against equal, equal against each fault. Both
// judges look after every window that they may.
#include <cstdio>
#include <functional>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "common/stats/median.h"
#include "server/rewards/canary_judge.h"
#include "tests/perf/canary/kayenta_rule.h"
#include "tests/perf/canary/recorded_trace.h"

namespace hone {
namespace {

constexpr double kWindowSeconds = 2;
constexpr std::size_t kSegment = 30;
// Of the server that takes 5 % more processor time: requests differ a hundredfold.
constexpr std::size_t kCpuSegment = 150;
constexpr std::size_t kKayentaEvery = 5;  // windows between its looks
constexpr std::size_t kKayentaFirst = 10;
constexpr std::size_t kMostEqual = 100;

std::vector<SliWindow> segment_of(const std::vector<GroupWindow>& baseline,
                                  const std::vector<GroupWindow>& canary, std::size_t first,
                                  std::size_t length) {
  std::vector<SliWindow> series;
  for (std::size_t i = first; i < first + length; ++i) {
    series.push_back({.start = kWindowSeconds * static_cast<double>(i),
                      .seconds = kWindowSeconds,
                      .baseline = baseline[i],
                      .canary = canary[i]});
  }
  return series;
}

// The number of windows after which a canary was withdrawn; nothing if it was not.
using Withdrawn = std::optional<std::size_t>;

Withdrawn by_ours(std::span<const double> bounds, std::span<const SliWindow> series) {
  for (std::size_t look = 1; look <= series.size(); ++look) {
    const Result<CanaryJudgement> judgement =
        judge_canary(bounds, series.first(look), {.rules = default_rules()});
    if (!judgement) {
      std::fprintf(stderr, "canary_verdicts: %s\n", judgement.error().message.c_str());
      std::exit(1);
    }
    if (judgement->finding == SliFinding::worse) {
      return look;
    }
  }
  return std::nullopt;
}

Withdrawn by_kayenta(std::span<const double> bounds, std::span<const SliWindow> series) {
  static constexpr Sli kMetrics[] = {Sli::latency_p50, Sli::latency_p95, Sli::latency_p99,
                                     Sli::failure_share, Sli::cpu_per_request};
  std::vector<KayentaMetric> metrics(std::size(kMetrics));
  for (std::size_t look = 1; look <= series.size(); ++look) {
    for (std::size_t i = 0; i < metrics.size(); ++i) {
      metrics[i].baseline.push_back(sli_value(kMetrics[i], bounds, series[look - 1].baseline));
      metrics[i].canary.push_back(sli_value(kMetrics[i], bounds, series[look - 1].canary));
    }
    const bool last = look == series.size();
    if (last || (look >= kKayentaFirst && look % kKayentaEvery == 0)) {
      if (kayenta_score(metrics) < (last ? 95 : 75)) {
        return look;
      }
    }
  }
  return std::nullopt;
}

struct Tally {
  std::size_t canaries = 0;
  std::size_t withdrawn = 0;
  std::vector<double> windows;

  void add(const Withdrawn& after) {
    ++canaries;
    if (after) {
      ++withdrawn;
      windows.push_back(static_cast<double>(*after));
    }
  }
};

void print(const std::string& what, const std::string& judge, const Tally& tally) {
  fmt::print("{:<10} {:<8} {:>4} of {:>4} withdrawn", what, judge, tally.withdrawn, tally.canaries);
  if (tally.withdrawn > 0) {
    fmt::print(", after {:.0f} s (median)", kWindowSeconds * median(tally.windows));
  }
  fmt::print("\n");
}

using Tallies = std::map<std::string, std::pair<Tally, Tally>>;  // ours and Kayenta's

// All canaries of one baseline and one canary server.
void judge_pair(const RecordedTrace& trace, const std::string& baseline, const std::string& canary,
                Tallies& tallies) {
  const bool equal = canary.starts_with("equal");
  const std::size_t length = canary == "cpu" ? kCpuSegment : kSegment;
  auto& [ours, kayenta] = tallies[equal ? "equal" : canary];
  for (std::size_t first = 1; first + length < trace.windows; first += length) {
    if (equal && ours.canaries == kMostEqual) {
      return;
    }
    const std::vector<SliWindow> series =
        segment_of(trace.servers.at(baseline), trace.servers.at(canary), first, length);
    ours.add(by_ours(trace.bounds, series));
    kayenta.add(by_kayenta(trace.bounds, series));
  }
}

int run(const std::string& folder) {
  const RecordedTrace trace = read_trace(folder, kWindowSeconds);
  Tallies tallies;
  for (const auto& [baseline, its] : trace.servers) {
    for (const auto& [canary, theirs] : trace.servers) {
      const bool pair_is_new = !canary.starts_with("equal") || canary > baseline;
      if (baseline.starts_with("equal") && pair_is_new) {
        judge_pair(trace, baseline, canary, tallies);
      }
    }
  }
  for (const auto& [what, both] : tallies) {
    print(what, "ours", both.first);
    print(what, "Kayenta", both.second);
  }
  for (const auto& [what, both] : tallies) {
    fmt::print("{}={} {} {}\n", what, both.first.withdrawn, both.second.withdrawn,
               both.first.canaries);
  }
  return tallies.contains("equal") ? 0 : 1;
}

}  // namespace
}  // namespace hone

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: canary_verdicts FOLDER\n");
    return 2;
  }
  return hone::run(argv[1]);
}
