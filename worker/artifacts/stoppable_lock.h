// A wait for a mutex that somebody may hold for minutes, which ends when a stop is requested: a
// cancelled job, or a worker that is told to end, is not behind another's download or build.
#pragma once

#include <chrono>
#include <mutex>
#include <stop_token>

namespace hone {

// Holds nothing if the stop came first; a mutex that is free is taken all the same.
inline std::unique_lock<std::timed_mutex> lock_unless_stopped(std::timed_mutex& mutex,
                                                              const std::stop_token& stop) {
  // So late at most is a stop heard of.
  constexpr std::chrono::milliseconds kTick{100};
  std::unique_lock lock(mutex, std::try_to_lock);
  while (!lock && !stop.stop_requested()) {
    lock.try_lock_for(kTick);
  }
  return lock;
}

}  // namespace hone
