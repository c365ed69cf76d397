#include "worker/client/lease_watch.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "common/base/log.h"
#include "common/base/trace_context.h"

namespace hone {

LeaseWatch::LeaseWatch(JobServer& server, const Lease& lease, std::stop_token outer)
    : server_(server),
      attempt_(lease.attempt),
      trace_id_(parse_traceparent(lease.traceparent).value_or(TraceContext()).trace_id),
      ttl_(std::chrono::seconds(std::max<std::int64_t>(lease.ttl_seconds, 1))),
      outer_(std::move(outer), [this] { job_.request_stop(); }),
      thread_([this](const std::stop_token& stop) { beat(stop); }) {}

void LeaseWatch::beat(const std::stop_token& stop) {
  const LogScope scope({{"trace_id", trace_id_}});
  std::mutex mutex;
  std::condition_variable_any wake;
  std::chrono::milliseconds pause = ttl_ / 3;
  while (true) {
    {
      std::unique_lock lock(mutex);
      wake.wait_for(lock, stop, pause, [] { return false; });
    }
    if (stop.stop_requested()) {
      return;
    }
    const Result<HeartbeatReply> reply = server_.heartbeat(attempt_, stop);
    if (reply) {
      ttl_ = std::chrono::seconds(std::max<std::int64_t>(reply->ttl_seconds, 1));
      pause = ttl_ / 3;
      if (reply->cancelled) {
        state_ = LeaseState::cancelled;
        job_.request_stop();
        log_info("job_cancelled", {{"attempt", attempt_}});
        pause = ttl_ / 3;  // the lease is kept until the result is in
      }
      continue;
    }
    const ErrorCode code = reply.error().code;
    if (code == ErrorCode::expired || code == ErrorCode::not_found) {
      state_ = LeaseState::lost;
      job_.request_stop();
      log_warning("lease_lost", {{"attempt", attempt_}, {"why", reply.error().message}});
      return;
    }
    if (stop.stop_requested()) {
      return;
    }
    // honed may be starting again: the measurement goes on, the result is worth a try.
    log_warning("heartbeat_failed", {{"attempt", attempt_}, {"why", reply.error().message}});
    pause = std::min<std::chrono::milliseconds>(ttl_ / 3, std::chrono::seconds(2));
  }
}

}  // namespace hone
