#include "common/stats/multiplicity.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace hone {

std::vector<double> holm_adjusted(std::span<const double> p_values) {
  std::vector<std::size_t> by_size(p_values.size());
  std::iota(by_size.begin(), by_size.end(), std::size_t{0});
  std::ranges::sort(by_size, {}, [&](std::size_t i) { return p_values[i]; });
  std::vector<double> adjusted(p_values.size());
  double largest = 0;
  for (std::size_t step = 0; step < by_size.size(); ++step) {
    const auto left = static_cast<double>(by_size.size() - step);
    largest = std::max(largest, std::min(1.0, left * p_values[by_size[step]]));
    adjusted[by_size[step]] = largest;
  }
  return adjusted;
}

}  // namespace hone
