// What both groups of a canary did in one window of time.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "server/rewards/latency_histogram.h"

namespace hone {

// Why a group's window tells nothing, or that it does. Never a zero in place of one of these.
enum class WindowOutcome {
  ok,
  no_data,        // no series at all
  scrape_gap,     // a series lacks a sample where the window begins or ends
  counter_reset,  // a counter fell: an instance began anew within the window
  not_a_number,   // a sample is NaN or infinite, or a count would be negative
  no_traffic,     // no request was served
  unreached,  // no request came, although it had its share of traffic and had been served before
};

inline constexpr WindowOutcome kWindowOutcomes[] = {
    WindowOutcome::ok,           WindowOutcome::no_data,
    WindowOutcome::scrape_gap,   WindowOutcome::counter_reset,
    WindowOutcome::not_a_number, WindowOutcome::no_traffic,
    WindowOutcome::unreached};

// "ok", "no_data" and so on, as on the wire.
std::string_view to_string(WindowOutcome outcome);

// One group in one window, or in several pooled. Counts are increases within the window, and hold
// only with outcome ok.
struct GroupWindow {
  WindowOutcome outcome = WindowOutcome::ok;
  std::vector<double> latencies{};  // requests by bucket; one more than there are bounds
  double requests = 0;
  double failures = 0;     // of these
  double cpu_seconds = 0;  // processor time of the group's instances
  bool operator==(const GroupWindow&) const = default;
};

struct SliWindow {
  double start = 0;    // seconds since 1970, by the clock of Prometheus
  double seconds = 0;  // long
  GroupWindow baseline;
  GroupWindow canary;

  bool ok() const {
    return baseline.outcome == WindowOutcome::ok && canary.outcome == WindowOutcome::ok;
  }
};

// Both groups over several windows, with the same weight in each: a window's baseline is scaled to
// the requests that the canary had in it. Else a canary whose share of traffic grows would be
// compared with a baseline of other hours. Windows that are not ok are left out; `windows` are
// indices.
struct PooledWindows {
  GroupWindow baseline;
  GroupWindow canary;
};
PooledWindows pool_windows(std::span<const SliWindow> series, std::span<const std::size_t> windows);

}  // namespace hone
