// How results and jobs without one get back to honed. Thread safe for distinct attempts.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>

#include "worker/client/job_server.h"
#include "worker/client/result_spool.h"
#include "worker/run/job_runner.h"

namespace hone {

class ResultDelivery {
 public:
  // All must outlive it. `give_up` is told of an error that trying again does not mend.
  ResultDelivery(JobServer& server, LeaseRunner& runner, ResultSpool& spool,
                 std::chrono::milliseconds first_pause, std::function<void(const Error&)> give_up)
      : server_(server),
        runner_(runner),
        spool_(spool),
        first_pause_(first_pause),
        give_up_(std::move(give_up)) {}

  // Puts a result into the spool and sends it.
  bool keep_and_deliver(const Lease& lease, AttemptResult result, const std::stop_token& stop);
  // Sends a spooled result until honed has it or never will, or `stop`. Whether it counts.
  bool deliver(const SpooledResult& entry, const std::stop_token& stop);
  void hand_back(const Lease& lease, const std::string& reason, bool count_attempt);

 private:
  void hand_back_refused(const SpooledResult& entry, const Error& refusal);

  JobServer& server_;
  LeaseRunner& runner_;
  ResultSpool& spool_;
  std::chrono::milliseconds first_pause_;
  std::function<void(const Error&)> give_up_;
};

}  // namespace hone
