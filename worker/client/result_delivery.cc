#include "worker/client/result_delivery.h"

#include "common/base/log.h"
#include "worker/client/back_off.h"
#include "worker/run/lease_log_scope.h"

namespace hone {

bool ResultDelivery::keep_and_deliver(const Lease& lease, AttemptResult result,
                                      const std::stop_token& stop) {
  const LeaseLogScope scope(lease);
  HeldResult held{{lease, std::move(result)}};
  if (const Result<void> kept = sender_.keep(held); !kept) {
    log_error("result_not_spooled", {{"attempt", lease.attempt}, {"why", kept.error().message}});
  }
  BackOff back_off(settings_.first_pause);
  // A heat ends up to eight jobs one after the other: only the first of them waits.
  const std::chrono::milliseconds patience =
      late_.any() ? std::chrono::milliseconds(0) : settings_.patience;
  const auto end = std::chrono::steady_clock::now() + patience;
  while (true) {
    const bool last = stop.stop_requested();
    const SendAnswer answer = sender_.send(held);
    if (answer.sent == Sent::counted || answer.sent == Sent::over) {
      return answer.sent == Sent::counted;
    }
    const std::string& why = answer.why->message;
    if (answer.sent == Sent::not_ours) {
      ResultSender::tell_left(held, why);  // the spool keeps it for a better token
      give_up_(*answer.why);
      return false;
    }
    if ((last && held.kept) || sender_.over().stop_requested()) {
      ResultSender::tell_left(held, why);
      return false;
    }
    log_warning("result_not_delivered", {{"attempt", lease.attempt}, {"why", why}});
    if (!last && std::chrono::steady_clock::now() >= end && late_.take(held)) {
      log_warning("result_waits", {{"attempt", lease.attempt},
                                   {"why", "its slot goes on without it, and it is sent again"}});
      return false;
    }
    back_off.wait(last ? sender_.over() : stop);
    // A disk that was full may have room by now.
    if (!held.kept && sender_.keep(held)) {
      log_info("result_spooled", {{"attempt", lease.attempt}});
    }
  }
}

}  // namespace hone
