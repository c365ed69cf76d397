// How many connections of a pool each kind of work has taken, and whether it may have one more.
//
// A quarter is kept back for work, and one connection for all else; reading has at most a half. A
// pool of fewer than four has nothing to keep back. Not thread safe.
#pragma once

#include <array>
#include <cstddef>

#include "server/store/lane.h"

namespace hone {

class PgLanes {
 public:
  explicit PgLanes(std::size_t size) : size_(size) {}

  bool has_room(Lane lane) const {
    const std::size_t others = of(Lane::ordinary) + of(Lane::reading);
    if (taken() >= size_ || size_ < kSmall) {
      return taken() < size_;
    }
    switch (lane) {
      case Lane::work:
        return of(Lane::work) < size_ - 1;
      case Lane::ordinary:
        return others < size_ - size_ / 4;
      case Lane::reading:
        return others < size_ - size_ / 4 && of(Lane::reading) < size_ / 2;
    }
    return false;
  }
  void take(Lane lane) { ++taken_[static_cast<std::size_t>(lane)]; }
  void give_back(Lane lane) { --taken_[static_cast<std::size_t>(lane)]; }

 private:
  static constexpr std::size_t kSmall = 4;

  std::size_t of(Lane lane) const { return taken_[static_cast<std::size_t>(lane)]; }
  std::size_t taken() const { return of(Lane::work) + of(Lane::ordinary) + of(Lane::reading); }

  std::size_t size_;
  std::array<std::size_t, kLanes> taken_{};
};

}  // namespace hone
