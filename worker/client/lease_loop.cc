#include "worker/client/lease_loop.h"

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <thread>

#include "common/base/log.h"
#include "worker/client/lease_watch.h"
#include "worker/run/readable_text.h"

namespace hone {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kLongestPause = 15s;

// Waits, but not past a stop request.
void pause(std::chrono::milliseconds time, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  wake.wait_for(lock, stop, time, [] { return false; });
}

// Pauses that double while nothing gets better.
class BackOff {
 public:
  explicit BackOff(std::chrono::milliseconds first) : first_(first), next_(first) {}
  void wait(const std::stop_token& stop) {
    pause(next_, stop);
    next_ = std::min(2 * next_, kLongestPause);
  }
  void reset() { next_ = first_; }

 private:
  std::chrono::milliseconds first_;
  std::chrono::milliseconds next_;
};

bool is_hopeless(ErrorCode code) {
  return code == ErrorCode::unauthenticated || code == ErrorCode::permission_denied ||
         code == ErrorCode::invalid_argument || code == ErrorCode::unsupported;
}

}  // namespace

Result<void> LeaseLoop::run(const std::stop_token& stop) {
  const std::stop_callback<std::function<void()>> outer(stop, [this] { all_.request_stop(); });
  const std::stop_token all = all_.get_token();
  HONE_CHECK(register_worker(all));
  for (const SpooledResult& entry : spool_.entries()) {
    log_info("spooled_result_found", {{"attempt", entry.lease.attempt}});
    deliver(entry, all);
  }
  {
    std::vector<std::jthread> threads;
    for (const Slot& slot : settings_.slots) {
      threads.emplace_back([this, slot, all] { serve_slot(slot, all); });
    }
  }
  const std::lock_guard lock(mutex_);
  if (fatal_) {
    return *fatal_;
  }
  return {};
}

Result<void> LeaseLoop::register_worker(const std::stop_token& stop) {
  BackOff back_off(settings_.first_pause);
  while (!stop.stop_requested()) {
    const Result<void> registered = server_.register_worker(settings_.worker, stop);
    if (registered) {
      log_info("worker_registered",
               {{"worker", settings_.worker.name}, {"slots", settings_.worker.slots}});
      break;
    }
    if (is_hopeless(registered.error().code)) {
      return registered.error();
    }
    if (!stop.stop_requested()) {
      log_warning("register_failed", {{"why", registered.error().message}});
      back_off.wait(stop);
    }
  }
  return {};
}

void LeaseLoop::give_up(const Error& error) {
  const std::lock_guard lock(mutex_);
  if (!fatal_) {
    fatal_ = error;
  }
  all_.request_stop();
}

void LeaseLoop::serve_slot(const Slot& slot, const std::stop_token& stop) {
  LeaseRequest request;
  request.worker = settings_.worker.name;
  request.wait_seconds = settings_.wait_seconds;
  BackOff back_off(settings_.first_pause);
  while (!stop.stop_requested()) {
    const Result<std::optional<Lease>> lease = server_.lease(request, stop);
    if (!lease) {
      if (stop.stop_requested()) {
        return;
      }
      if (is_hopeless(lease.error().code)) {
        return give_up(lease.error());
      }
      log_warning("lease_failed", {{"slot", slot.number}, {"why", lease.error().message}});
      back_off.wait(stop);
      if (lease.error().code == ErrorCode::not_found) {
        // honed does not know us, for example after its database was restored.
        if (const Result<void> again = register_worker(stop); !again) {
          return give_up(again.error());
        }
      }
      continue;
    }
    if (!lease->has_value()) {
      back_off.reset();
      continue;
    }
    const bool in_order = serve_lease(**lease, slot, stop);
    if (settings_.once) {
      all_.request_stop();
      return;
    }
    if (in_order) {
      back_off.reset();
    } else {
      back_off.wait(stop);  // a full disk must not use up the attempts of every job there is
    }
  }
}

bool LeaseLoop::serve_lease(const Lease& lease, const Slot& slot, const std::stop_token& stop) {
  log_info("job_started", {{"job", lease.job},
                           {"attempt", lease.attempt},
                           {"target", lease.target.name},
                           {"stage", to_string(lease.stage)},
                           {"slot", slot.number}});
  LeaseWatch watch(server_, lease, stop);
  Result<AttemptResult> result = runner_.run(lease, slot, watch.job_stop());
  if (watch.state() == LeaseState::lost) {
    log_warning("job_dropped", {{"attempt", lease.attempt}});
    return true;
  }
  if (!result) {
    log_error("job_failed", {{"attempt", lease.attempt}, {"why", result.error().describe()}});
    hand_back(lease, result.error().describe(), !stop.stop_requested());
    return false;
  }
  if (result->outcome == Outcome::cancelled) {
    if (watch.state() != LeaseState::cancelled) {
      hand_back(lease, "the worker was stopped", false);
      return true;
    }
    result->reason = "cancelled while it ran";
  }
  log_info("job_ended", {{"job", lease.job},
                         {"attempt", lease.attempt},
                         {"outcome", to_string(result->outcome)},
                         {"reason", result->reason.substr(0, 500)}});
  SpooledResult entry{lease, *std::move(result)};
  if (const Result<void> kept = spool_.keep(entry); !kept) {
    log_error("result_not_spooled", {{"attempt", lease.attempt}, {"why", kept.error().message}});
  }
  deliver(entry, stop);
  return true;
}

void LeaseLoop::deliver(const SpooledResult& entry, const std::stop_token& stop) {
  const std::string& attempt = entry.lease.attempt;
  BackOff back_off(settings_.first_pause);
  // A worker that is being stopped tries once more; then the spool keeps the result.
  const std::stop_source never;
  for (bool last = false; !last;) {
    last = stop.stop_requested();
    const Result<void> counted =
        server_.complete(attempt, entry.result, last ? never.get_token() : stop);
    if (counted) {
      spool_.forget(attempt);
      runner_.accepted(entry.lease, entry.result);
      log_info("result_accepted", {{"attempt", attempt}});
      return;
    }
    switch (counted.error().code) {
      case ErrorCode::expired:
      case ErrorCode::not_found:
      case ErrorCode::conflict:
        log_warning("result_too_late", {{"attempt", attempt}, {"why", counted.error().message}});
        spool_.forget(attempt);
        return;
      case ErrorCode::invalid_argument:
      case ErrorCode::too_large:
      case ErrorCode::unsupported:
        log_error("result_refused", {{"attempt", attempt}, {"why", counted.error().describe()}});
        spool_.forget(attempt);
        hand_back(entry.lease, "honed refused the result: " + counted.error().describe(), true);
        return;
      case ErrorCode::unauthenticated:
      case ErrorCode::permission_denied:
        return give_up(counted.error());  // the spool keeps it for a better token
      default:
        break;
    }
    if (!last) {
      log_warning("result_not_delivered", {{"attempt", attempt}, {"why", counted.error().message}});
      back_off.wait(stop);
    }
  }
  log_warning("result_kept", {{"attempt", attempt}});
}

void LeaseLoop::hand_back(const Lease& lease, std::string reason, bool count_attempt) {
  const std::stop_source never;  // short by itself, and wanted just when the worker stops
  const HandBack body{readable_text(reason, kMaxReasonBytes), count_attempt};
  const Result<void> done = server_.hand_back(lease.attempt, body, never.get_token());
  if (done) {
    log_info("job_handed_back", {{"attempt", lease.attempt}, {"reason", reason.substr(0, 500)}});
  } else {
    log_warning("job_not_handed_back", {{"attempt", lease.attempt}, {"why", done.error().message}});
  }
}

}  // namespace hone
