// A worker that waits for a job at the claimer, and those that wait for the same jobs. For files of
// server/jobs. Not thread safe.
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include <boost/asio/steady_timer.hpp>

#include "server/jobs/claimer.h"

namespace hone {

// One that waits. Held by whoever waits and by the claimer; `left` says that the former is gone.
struct LeaseWaiter {
  LeaseWaiter(const boost::asio::any_io_executor& executor, LeaseWait what)
      : wait(std::move(what)), told(executor) {}

  void answer(Result<std::optional<Lease>> with) {
    result.emplace(std::move(with));
    told.cancel();
  }

  LeaseWait wait;
  std::chrono::steady_clock::time_point came;
  std::chrono::steady_clock::time_point end;
  boost::asio::steady_timer told;  // at the end of its patience; cancelled by an answer
  std::optional<Result<std::optional<Lease>>> result;
  bool in_claim = false;
  bool looked_at = false;  // by us since it came, or nothing happened since we last looked
  bool leaving = false;    // waits for the claim that is under way, and no longer
  bool left = false;
};
using LeaseWaiterPtr = std::shared_ptr<LeaseWaiter>;

inline Claimant claimant_of(const LeaseWaiter& waiter) {
  return {waiter.wait.worker, waiter.wait.token};
}

// Those that may be given the same jobs, longest waiting first.
struct WaitingKind {
  std::deque<LeaseWaiterPtr> waiters;
  bool may_have_jobs = true;  // something happened since nothing was there for them
  bool drained = false;       // they get nothing
};

}  // namespace hone
