#include "server/rewards/sli_window.h"

namespace hone {
namespace {

void add_scaled(GroupWindow& sum, const GroupWindow& window, double scale) {
  if (sum.latencies.size() < window.latencies.size()) {
    sum.latencies.resize(window.latencies.size());
  }
  for (std::size_t i = 0; i < window.latencies.size(); ++i) {
    sum.latencies[i] += scale * window.latencies[i];
  }
  sum.requests += scale * window.requests;
  sum.failures += scale * window.failures;
  sum.cpu_seconds += scale * window.cpu_seconds;
}

}  // namespace

std::string_view to_string(WindowOutcome outcome) {
  switch (outcome) {
    case WindowOutcome::ok:
      return "ok";
    case WindowOutcome::no_data:
      return "no_data";
    case WindowOutcome::scrape_gap:
      return "scrape_gap";
    case WindowOutcome::counter_reset:
      return "counter_reset";
    case WindowOutcome::not_a_number:
      return "not_a_number";
    case WindowOutcome::no_traffic:
      return "no_traffic";
    case WindowOutcome::unreached:
      return "unreached";
  }
  return "";
}

PooledWindows pool_windows(std::span<const SliWindow> series,
                           std::span<const std::size_t> windows) {
  PooledWindows pooled;
  for (const std::size_t index : windows) {
    const SliWindow& window = series[index];
    if (window.ok()) {
      add_scaled(pooled.baseline, window.baseline,
                 window.canary.requests / window.baseline.requests);
      add_scaled(pooled.canary, window.canary, 1);
    }
  }
  return pooled;
}

}  // namespace hone
