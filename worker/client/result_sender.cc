#include "worker/client/result_sender.h"

#include <algorithm>

#include "common/base/log.h"
#include "worker/run/lease_log_scope.h"
#include "worker/run/readable_text.h"

namespace hone {

Result<void> ResultSender::keep(HeldResult& held) {
  if (held.kept) {
    return {};
  }
  HONE_CHECK(spool_.keep(held.entry));
  held.kept = true;
  return {};
}

SendAnswer ResultSender::send(HeldResult& held) {
  const Lease& lease = held.entry.lease;
  const LeaseLogScope scope(lease);
  const Result<void> counted = server_.complete(lease.attempt, held.entry.result, over_);
  if (counted) {
    spool_.forget(lease.attempt);
    runner_.accepted(lease, held.entry.result);
    log_info("result_accepted", {{"attempt", lease.attempt}});
    return {};
  }
  const Error& why = counted.error();
  switch (why.code) {
    case ErrorCode::expired:
    case ErrorCode::not_found:
    case ErrorCode::conflict:
      log_warning("result_too_late", {{"attempt", lease.attempt}, {"why", why.message}});
      spool_.forget(lease.attempt);
      return {Sent::over, why};
    case ErrorCode::invalid_argument:
    case ErrorCode::too_large:
    case ErrorCode::unsupported:
      refuse(held, why);
      return {Sent::over, why};
    case ErrorCode::unauthenticated:
    case ErrorCode::permission_denied:
      return {Sent::not_ours, why};
    default:
      return {Sent::later, why};
  }
}

// A database that was restored, or is new, knows less than the worker's folder. The candidate is
// not to blame, and is measured on the next try.
void ResultSender::refuse(HeldResult& held, const Error& refusal) {
  const Lease& lease = held.entry.lease;
  const AttemptResult& result = held.entry.result;
  Result<void> kept = keep(held);
  const Result<std::filesystem::path> aside =
      kept ? spool_.set_aside(lease.attempt) : Result<std::filesystem::path>(kept.error());
  log_error("result_refused",
            {{"attempt", lease.attempt},
             {"job", lease.job},
             {"outcome", to_string(result.outcome)},
             {"why", refusal.describe()},
             {"kept_as", aside ? aside->string() : "nothing: " + aside.error().message}});
  const bool is_of_reuse = !result.reused_attempt.empty() &&
                           std::ranges::any_of(refusal.fields, [](const FieldProblem& field) {
                             return field.pointer == "/reused_attempt";
                           });
  const bool will_measure = is_of_reuse && runner_.reuse_refused(lease, result);
  hand_back(lease, "honed refused the result: " + refusal.describe(), !will_measure);
}

void ResultSender::hand_back(const Lease& lease, const std::string& reason, bool count_attempt) {
  const HandBack body{readable_text(reason, kMaxReasonBytes), count_attempt};
  const Result<void> done = server_.hand_back(lease.attempt, body, over_);
  if (done) {
    log_info("job_handed_back", {{"attempt", lease.attempt}, {"reason", reason.substr(0, 500)}});
  } else {
    log_warning("job_not_handed_back", {{"attempt", lease.attempt}, {"why", done.error().message}});
  }
}

void ResultSender::tell_left(const HeldResult& held, const std::string& why) {
  const std::string& attempt = held.entry.lease.attempt;
  if (held.kept) {
    log_warning("result_kept", {{"attempt", attempt}, {"why", why}});
  } else {
    log_error("result_lost", {{"attempt", attempt},
                              {"job", held.entry.lease.job},
                              {"outcome", to_string(held.entry.result.outcome)},
                              {"why", why + "; and the spool could not keep it"}});
  }
}

}  // namespace hone
