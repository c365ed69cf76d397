// Pauses that double while nothing gets better, and when trying again is no use. Not thread safe.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>

#include "common/base/result.h"

namespace hone {

class BackOff {
 public:
  explicit BackOff(std::chrono::milliseconds first) : first_(first), next_(first) {}

  // Not past a stop request.
  void wait(const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    wake.wait_for(lock, stop, next_, [] { return false; });
    next_ = std::min(2 * next_, kLongest);
  }
  void reset() { next_ = first_; }

 private:
  static constexpr std::chrono::milliseconds kLongest{15'000};

  std::chrono::milliseconds first_;
  std::chrono::milliseconds next_;
};

// Errors of honed that stay whatever the worker does.
inline bool is_hopeless(ErrorCode code) {
  return code == ErrorCode::unauthenticated || code == ErrorCode::permission_denied ||
         code == ErrorCode::invalid_argument || code == ErrorCode::unsupported;
}

}  // namespace hone
