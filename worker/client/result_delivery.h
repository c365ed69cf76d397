// How results and jobs without one get back to honed. A slot waits for a bounded time until honed
// has its result; one that honed has not taken by then is a late one (late_results.h), and the slot
// is free. Thread safe for distinct attempts.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>

#include "worker/client/late_results.h"
#include "worker/client/result_sender.h"

namespace hone {

struct DeliverySettings {
  std::chrono::milliseconds first_pause{500};  // between two tries; doubles up to 15 s
  // So long a slot waits, unless other results wait already, and the try that is under way then (a
  // minute at most, where honed does not answer at all).
  std::chrono::milliseconds patience{60'000};
};

class ResultDelivery {
 public:
  // All must outlive it. `give_up` is told of an error that trying again does not mend.
  ResultDelivery(ResultSender& sender, LateResults& late, DeliverySettings settings,
                 std::function<void(const Error&)> give_up)
      : sender_(sender), late_(late), settings_(settings), give_up_(std::move(give_up)) {}

  // Puts a result into the spool and sends it until honed has it or never will, or the slot's time
  // is over. Whether it counts by now. After a stop it is tried once more; where the spool could
  // not keep it, until the sender's time is over.
  bool keep_and_deliver(const Lease& lease, AttemptResult result, const std::stop_token& stop);
  void hand_back(const Lease& lease, const std::string& reason, bool count_attempt) {
    sender_.hand_back(lease, reason, count_attempt);
  }

 private:
  ResultSender& sender_;
  LateResults& late_;
  DeliverySettings settings_;
  std::function<void(const Error&)> give_up_;
};

}  // namespace hone
