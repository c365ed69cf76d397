// Numbers for the tests: the same few in the reference computation (Python, numpy and scipy).
#pragma once

#include <cstddef>
#include <vector>

#include "common/base/random.h"
#include "common/stats/normal.h"
#include "common/stats/paired_sample.h"

namespace hone {

// shift + scale * (((i * 7919 + seed * 104729) mod 1009) / 1009 - 0.5) for i = 1..n.
inline std::vector<double> series(std::size_t n, double shift, double scale, std::size_t seed) {
  std::vector<double> values;
  for (std::size_t i = 1; i <= n; ++i) {
    const auto rest = static_cast<double>((i * 7919 + seed * 104729) % 1009);
    values.push_back(shift + scale * (rest / 1009 - 0.5));
  }
  return values;
}

// Orders B C C B C B B C and again, with an order effect added to a series.
inline std::vector<PairedSample> paired_series(std::size_t n, double shift, double scale,
                                               std::size_t seed, double effect) {
  constexpr int kPattern[] = {1, -1, -1, 1, -1, 1, 1, -1};
  std::vector<PairedSample> samples;
  for (const double value : series(n, shift, scale, seed)) {
    const RunOrder order =
        kPattern[samples.size() % 8] > 0 ? RunOrder::baseline_first : RunOrder::candidate_first;
    samples.push_back({value + order_sign(order) * effect, order});
  }
  return samples;
}

// A standard normal draw, by inversion: the same on every standard library.
inline double draw_normal(Random& random) {
  return normal_quantile((static_cast<double>(random.bits() >> 12U) + 0.5) * 0x1p-52);
}

// A normal draw with outliers: with probability 1/10 the draw is `times` as wide.
inline double draw_contaminated(Random& random, double times) {
  const double width = random.chance(1, 10) ? times : 1;
  return width * draw_normal(random);
}

}  // namespace hone
