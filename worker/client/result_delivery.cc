#include "worker/client/result_delivery.h"

#include <algorithm>

#include "common/base/log.h"
#include "worker/client/back_off.h"
#include "worker/run/lease_log_scope.h"
#include "worker/run/readable_text.h"

namespace hone {

bool ResultDelivery::keep_and_deliver(const Lease& lease, AttemptResult result,
                                      const std::stop_token& stop) {
  const SpooledResult entry{lease, std::move(result)};
  if (const Result<void> kept = spool_.keep(entry); !kept) {
    log_error("result_not_spooled", {{"attempt", lease.attempt}, {"why", kept.error().message}});
  }
  return deliver(entry, stop);
}

bool ResultDelivery::deliver(const SpooledResult& entry, const std::stop_token& stop) {
  const LeaseLogScope scope(entry.lease);
  const std::string& attempt = entry.lease.attempt;
  BackOff back_off(first_pause_);
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
      return true;
    }
    switch (counted.error().code) {
      case ErrorCode::expired:
      case ErrorCode::not_found:
      case ErrorCode::conflict:
        log_warning("result_too_late", {{"attempt", attempt}, {"why", counted.error().message}});
        spool_.forget(attempt);
        return false;
      case ErrorCode::invalid_argument:
      case ErrorCode::too_large:
      case ErrorCode::unsupported:
        log_error("result_refused", {{"attempt", attempt}, {"why", counted.error().describe()}});
        spool_.forget(attempt);
        hand_back_refused(entry, counted.error());
        return false;
      case ErrorCode::unauthenticated:
      case ErrorCode::permission_denied:
        give_up_(counted.error());  // the spool keeps it for a better token
        return false;
      default:
        break;
    }
    if (!last) {
      log_warning("result_not_delivered", {{"attempt", attempt}, {"why", counted.error().message}});
      back_off.wait(stop);
    }
  }
  log_warning("result_kept", {{"attempt", attempt}});
  return false;
}

// A database that was restored, or is new, knows less than the worker's folder. The candidate is
// not to blame, and is measured on the next try.
void ResultDelivery::hand_back_refused(const SpooledResult& entry, const Error& refusal) {
  const bool is_of_reuse = !entry.result.reused_attempt.empty() &&
                           std::ranges::any_of(refusal.fields, [](const FieldProblem& field) {
                             return field.pointer == "/reused_attempt";
                           });
  const bool will_measure = is_of_reuse && runner_.reuse_refused(entry.lease, entry.result);
  hand_back(entry.lease, "honed refused the result: " + refusal.describe(), !will_measure);
}

void ResultDelivery::hand_back(const Lease& lease, const std::string& reason, bool count_attempt) {
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
