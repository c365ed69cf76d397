// A stop for what is done for several jobs at once: asked for when the worker's is, or when every
// one of the jobs was stopped, since nobody waits for it any more then. Thread safe.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <list>
#include <stop_token>
#include <vector>

namespace hone {

class AllStops {
 public:
  // Without any job only the worker's counts.
  AllStops(const std::stop_token& worker, const std::vector<std::stop_token>& jobs)
      : running_(jobs.size()) {
    for (const std::stop_token& job : jobs) {
      watches_.emplace_back(job, [this] {
        if (running_.fetch_sub(1) == 1) {
          source_.request_stop();
        }
      });
    }
    watches_.emplace_back(worker, [this] { source_.request_stop(); });
  }
  AllStops(const AllStops&) = delete;
  AllStops& operator=(const AllStops&) = delete;

  std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  std::atomic<std::size_t> running_;  // jobs that were not stopped
  // Last: a watch that is being told ends before what it uses does.
  std::list<std::stop_callback<std::function<void()>>> watches_;
};

}  // namespace hone
