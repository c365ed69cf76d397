// An estimate with its interval.
#pragma once

namespace hone {

struct Interval {
  double low = 0;
  double estimate = 0;
  double high = 0;
  bool contains(double value) const { return low <= value && value <= high; }
  bool operator==(const Interval&) const = default;
};

}  // namespace hone
