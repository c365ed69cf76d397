// One result on its way to honed, once: what honed's answer means, and what becomes of the copy in
// the spool. Thread safe for distinct attempts.
#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "worker/client/job_server.h"
#include "worker/client/result_spool.h"
#include "worker/run/job_runner.h"

namespace hone {

// A result that is not delivered yet.
struct HeldResult {
  SpooledResult entry;
  bool kept = false;  // in the spool, where the next start finds it
};

enum class Sent {
  counted,
  over,      // it came too late, or honed never takes it: nothing is left to be done
  later,     // honed did not answer, or could not do it now
  not_ours,  // not with this token
};

struct SendAnswer {
  Sent sent = Sent::counted;
  std::optional<Error> why = std::nullopt;  // where it was not counted
};

class ResultSender {
 public:
  // All must outlive it. `over` ends every call: the worker's stop has taken as long as it may.
  ResultSender(JobServer& server, LeaseRunner& runner, ResultSpool& spool, std::stop_token over)
      : server_(server), runner_(runner), spool_(spool), over_(std::move(over)) {}

  // Puts it into the spool unless it is there.
  Result<void> keep(HeldResult& held);
  // Sends it once. What is counted or came too late leaves the spool; what honed refuses for good
  // is said, set aside there, and its job handed back.
  SendAnswer send(HeldResult& held);
  void hand_back(const Lease& lease, const std::string& reason, bool count_attempt);

  // Says of one that is not sent again before the next start where it is, or that it is lost.
  static void tell_left(const HeldResult& held, const std::string& why);

  const std::stop_token& over() const { return over_; }

 private:
  void refuse(HeldResult& held, const Error& refusal);

  JobServer& server_;
  LeaseRunner& runner_;
  ResultSpool& spool_;
  std::stop_token over_;
};

}  // namespace hone
