// Keeps one lease alive while its job runs, and learns when the job shall stop. One thread of its
// own; end() or the destructor ends it. Thread safe.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <thread>

#include "worker/client/job_server.h"

namespace hone {

enum class LeaseState {
  held,
  cancelled,  // somebody cancelled the job: report outcome cancelled
  lost,       // expired, or unknown to honed: nobody will take the result
};

class LeaseWatch {
 public:
  // Beats every third of the lease's time to live, sooner after a beat that had no answer;
  // stops the job when the lease is cancelled or lost, or when `outer` is stopped.
  LeaseWatch(JobServer& server, const Lease& lease, std::stop_token outer);

  // What the job is to watch.
  std::stop_token job_stop() const { return job_.get_token(); }
  LeaseState state() const { return state_.load(); }

 private:
  void beat(const std::stop_token& stop);

  JobServer& server_;
  const std::string attempt_;
  const std::string trace_id_;
  std::chrono::milliseconds ttl_;
  std::stop_source job_;
  std::atomic<LeaseState> state_ = LeaseState::held;
  std::stop_callback<std::function<void()>> outer_;
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace hone
