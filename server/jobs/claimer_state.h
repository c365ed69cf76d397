// What a claimer and its coroutines share; it outlives the claimer by what they still wait for. For
// files of server/jobs. Not thread safe.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <boost/asio/steady_timer.hpp>

#include "server/jobs/lease_waiter.h"

namespace hone {

struct Claimer::State : std::enable_shared_from_this<Claimer::State> {
  State(const boost::asio::any_io_executor& where, Store& its_store, ClaimerOptions with)
      : executor(where), store(&its_store), options(std::move(with)), wake(where), pause(where) {
    wake.expires_at(std::chrono::steady_clock::time_point::max());
  }

  // What wakes the loop, beside an arrival.
  static boost::asio::awaitable<void> watch(std::shared_ptr<State> self, Channel channel);
  static boost::asio::awaitable<void> run(std::shared_ptr<State> self);

  void something_changed() {
    for (auto& [name, kind] : kinds) {
      kind.may_have_jobs = true;
    }
    wake.cancel();
  }
  // All kinds are found out anew.
  void forget_kinds() {
    for (auto& [name, kind] : kinds) {
      arrivals.insert(arrivals.end(), kind.waiters.begin(), kind.waiters.end());
    }
    kinds.clear();
    known.clear();
    wake.cancel();
  }

  // claimer_kinds.cc: who waits where.
  boost::asio::awaitable<void> sort_arrivals();
  boost::asio::awaitable<bool> find_kinds(const std::vector<LeaseWaiterPtr>& unknown);
  void file(const LeaseWaiterPtr& waiter);
  std::optional<std::string> next_kind();

  // claimer_batch.cc: a claim for many.
  boost::asio::awaitable<void> claim_for(std::string name);
  boost::asio::awaitable<void> take_answer(LeaseWaiterPtr waiter, Claim claim,
                                           std::vector<LeaseWaiterPtr>& back);
  boost::asio::awaitable<void> hand_back(const LeaseWaiterPtr& waiter, const Lease& lease);

  boost::asio::any_io_executor executor;
  Store* store;
  ClaimerOptions options;
  boost::asio::steady_timer wake;       // never expires; cancelled when there is something to do
  boost::asio::steady_timer pause;      // before looking again at what others were claiming
  std::deque<LeaseWaiterPtr> arrivals;  // whose kind is not known yet
  std::map<Claimant, WorkerKind> known;
  std::unordered_map<std::string, WaitingKind> kinds;
  std::size_t waiting = 0;
  bool stopped = false;
};

}  // namespace hone
