// Windows and error budgets of a service, as Prometheus tells them. Not thread safe.
#pragma once

#include <string>

#include "common/protocol/service_spec.h"
#include "server/canaries/metrics_source.h"
#include "server/rewards/error_budget.h"
#include "server/rewards/window_reader.h"

namespace hone {

// PromQL's selector of a metric of both groups: NAME{job="shop",group=~"baseline|canary"}. Values
// of labels are escaped; names are checked when the service is described.
std::string selector_text(const ServiceSpec& service, const std::string& metric);

// Both groups' window. `bounds` is filled by the first window that has any, and held to afterwards.
// What Prometheus does not tell is an outcome of the window; an error is one of asking
// (unavailable, timed_out) or of a description that does not fit (invalid_argument).
Async<SliWindow> read_sli(MetricsSource& source, const ServiceSpec& service, double start,
                          BucketBounds& bounds);

// What was served within the objective's window until `at`. Requests that took longer than the
// largest bound that is not above the objective's latency are bad, and failed ones are.
Async<ServedRequests> read_served(MetricsSource& source, const ServiceSpec& service, double at);

}  // namespace hone
