#include "server/rewards/sli.h"

#include <cmath>
#include <limits>

namespace hone {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
// Requests that must lie beyond a quantile.
constexpr double kLeastBeyond = 20;
// And those that tell a share or a mean.
constexpr double kLeastForMeans = 50;

double log_ratio(double above, double below) {
  return above > 0 && below > 0 ? std::log(above / below) : kUnknown;
}

}  // namespace

double sli_value(Sli sli, std::span<const double> bounds, const GroupWindow& pooled) {
  if (!(pooled.requests > 0)) {
    return kUnknown;
  }
  const auto quantile = [&](double q) { return histogram_quantile(bounds, pooled.latencies, q); };
  switch (sli) {
    case Sli::latency_p50:
      return quantile(0.5);
    case Sli::latency_p95:
      return quantile(0.95);
    case Sli::latency_p99:
      return quantile(0.99);
    case Sli::latency_spread:
      return log_ratio(quantile(0.95), quantile(0.05));
    case Sli::failure_share:
      return pooled.failures / pooled.requests;
    case Sli::cpu_per_request:
      return pooled.cpu_seconds / pooled.requests;
  }
  return kUnknown;
}

double relative_reward(Sli sli, double baseline, double canary) {
  switch (sli) {
    case Sli::latency_spread:
      return baseline - canary;
    case Sli::failure_share:
      return log_ratio(1 - canary, 1 - baseline);
    default:
      return log_ratio(baseline, canary);
  }
}

double slo_reward(Sli sli, double objective, double value) {
  switch (sli) {
    case Sli::latency_spread:
      return kUnknown;
    case Sli::failure_share:
      return log_ratio(1 - value, 1 - objective);
    default:
      return log_ratio(objective, value);
  }
}

double least_requests(Sli sli) {
  switch (sli) {
    case Sli::latency_p50:
      return kLeastBeyond / 0.5;
    case Sli::latency_p95:
    case Sli::latency_spread:
      return kLeastBeyond / 0.05;
    case Sli::latency_p99:
      return kLeastBeyond / 0.01;
    case Sli::failure_share:
    case Sli::cpu_per_request:
      return kLeastForMeans;
  }
  return kLeastForMeans;
}

}  // namespace hone
