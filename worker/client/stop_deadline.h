// A stop that follows another one after a while: so long a worker that was told to end may take, in
// all, over what it still has to tell honed. Thread safe.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace hone {

class StopDeadline {
 public:
  // `grace` after `stop` the token below is stopped, unless this has ended by then.
  StopDeadline(const std::stop_token& stop, std::chrono::milliseconds grace)
      : grace_(grace),
        begin_(stop, [this] { begin(); }),
        thread_([this](const std::stop_token& ended) { run(ended); }) {}
  StopDeadline(const StopDeadline&) = delete;
  StopDeadline& operator=(const StopDeadline&) = delete;

  std::stop_token token() const { return over_.get_token(); }

 private:
  void begin() {
    const std::lock_guard lock(mutex_);
    begun_ = true;
    wake_.notify_all();
  }
  void run(const std::stop_token& ended) {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, ended, [this] { return begun_; });
    wake_.wait_for(lock, ended, grace_, [] { return false; });
    lock.unlock();
    if (!ended.stop_requested()) {
      over_.request_stop();
    }
  }

  const std::chrono::milliseconds grace_;
  std::stop_source over_;
  std::mutex mutex_;  // guards begun_
  std::condition_variable_any wake_;
  bool begun_ = false;
  std::stop_callback<std::function<void()>> begin_;
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace hone
