// The median of some numbers. Thread safe.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace hone {

// The middle value, or the mean of the two middle ones; 0 for none. Takes a copy to reorder.
inline double median(std::vector<double> values) {
  if (values.empty()) {
    return 0;
  }
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) {
    return *middle;
  }
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

}  // namespace hone
