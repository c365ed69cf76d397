// A share of traffic as the weights of servers. Thread safe.
#pragma once

#include <cstddef>

#include "common/base/result.h"

namespace hone {

inline constexpr int kMostWeight = 256;  // of a server, in HAProxy

struct ShareWeights {
  int baseline = 0;  // of each server of the group
  int canary = 0;
};

// The weights whose share for the canary is the nearest to `percent` that is not above it, and
// above 0 unless that is; of equally near ones the largest, so that small shares are fine.
// invalid_argument where no weights come within a fifth of the share (a hundred canary servers
// cannot get 1 % beside one), and for a group without servers.
Result<ShareWeights> share_weights(int percent, std::size_t baseline_servers,
                                   std::size_t canary_servers);

// The canary's share of these sums of weights, per cent, rounded up; 0 if nobody has any.
int share_of(long baseline_weights, long canary_weights);

}  // namespace hone
