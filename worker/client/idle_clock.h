// How long no slot of a worker has had a job, for workers that end by themselves (array jobs of a
// cluster, --exit-when-idle). Thread safe.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>

namespace hone {

class IdleClock {
 public:
  // Without a limit it is never over.
  explicit IdleClock(std::optional<std::chrono::milliseconds> limit) : limit_(limit) {}

  // Held by a slot while it has a job, from the lease to the end of its report.
  class Busy {
   public:
    explicit Busy(IdleClock& clock) : clock_(clock) {
      const std::lock_guard lock(clock_.mutex_);
      ++clock_.busy_;
    }
    ~Busy() {
      const std::lock_guard lock(clock_.mutex_);
      --clock_.busy_;
      clock_.since_ = Clock::now();
    }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;

   private:
    IdleClock& clock_;
  };

  // Whether no slot has had a job for the limit.
  bool over() const {
    const std::lock_guard lock(mutex_);
    return limit_ && busy_ == 0 && Clock::now() - since_ >= *limit_;
  }

  // Whole seconds of the next wait for a job: at most `longest`, and not past the limit by more
  // than a second.
  std::int64_t wait_seconds(std::int64_t longest) const {
    const std::lock_guard lock(mutex_);
    if (!limit_ || busy_ != 0) {
      return longest;
    }
    const auto left = std::chrono::ceil<std::chrono::seconds>(since_ + *limit_ - Clock::now());
    return std::clamp<std::int64_t>(left.count(), 0, longest);
  }

 private:
  using Clock = std::chrono::steady_clock;

  const std::optional<std::chrono::milliseconds> limit_;
  mutable std::mutex mutex_;  // guards what follows
  int busy_ = 0;
  Clock::time_point since_ = Clock::now();
};

}  // namespace hone
