#include "server/canaries/share_weights.h"

#include <algorithm>

#include <fmt/format.h>

namespace hone {

Result<ShareWeights> share_weights(int percent, std::size_t baseline_servers,
                                   std::size_t canary_servers) {
  constexpr std::size_t kMostServers = 1000;
  if (percent < 0 || percent > 100 || baseline_servers < 1 || canary_servers < 1 ||
      baseline_servers > kMostServers || canary_servers > kMostServers) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} % of traffic over {} and {} servers: want 0 to 100 %, and 1 to {} "
                            "servers of each group",
                            percent, baseline_servers, canary_servers, kMostServers));
  }
  if (percent == 0 || percent == 100) {
    return percent == 0 ? ShareWeights{kMostWeight, 0} : ShareWeights{0, kMostWeight};
  }
  const auto baselines = static_cast<double>(baseline_servers);
  const auto canaries = static_cast<double>(canary_servers);
  const double wanted = percent / 100.0;
  ShareWeights best;
  double best_share = 0;
  for (int baseline = 1; baseline <= kMostWeight; ++baseline) {
    // canary * n_c / (canary * n_c + baseline * n_b) <= wanted, solved for the canary's weight; the
    // hair is what floating point may lack.
    const double most = wanted / (1 - wanted) * baseline * baselines / canaries + 1e-9;
    const int canary = std::min(kMostWeight, static_cast<int>(most));
    const double share = canary * canaries / (canary * canaries + baseline * baselines);
    if (canary > 0 && share >= best_share) {
      best = {baseline, canary};
      best_share = share;
    }
  }
  if (best_share < 0.8 * wanted) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} % cannot be made of {} baseline and {} canary servers with weights "
                            "up to {}: use fewer canary servers, or a larger first step",
                            percent, baseline_servers, canary_servers, kMostWeight));
  }
  return best;
}

int share_of(long baseline_weights, long canary_weights) {
  const long all = baseline_weights + canary_weights;
  return all <= 0 ? 0 : static_cast<int>((100 * canary_weights + all - 1) / all);
}

}  // namespace hone
