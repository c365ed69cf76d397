// Time behind an interface, so that expiry can be tested without waiting. Thread safe.
#pragma once

#include <chrono>

namespace hone {

using Milliseconds = std::chrono::milliseconds;
using WallTime = std::chrono::system_clock::time_point;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual WallTime now() const = 0;
};

class SystemClock final : public Clock {
 public:
  WallTime now() const override { return std::chrono::system_clock::now(); }
};

}  // namespace hone
