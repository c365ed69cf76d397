// The one claimer of a coordinator: workers wait here for jobs.
//
// However many wait, the database is asked for all of them at once: by one statement for up to 64
// of a kind (WorkerStore::kinds) when a job was queued, and otherwise every few seconds, since a
// notification may be lost while the listening connection is down. So an idle worker costs its
// connection and a little memory. Jobs go to whoever has waited longest; which job it is, the store
// decides. Not thread safe: one executor that one thread runs.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/any_io_executor.hpp>

#include "common/base/log.h"
#include "common/protocol/lease.h"
#include "server/http/message.h"
#include "server/store/store.h"

namespace hone {

struct LeaseWait {
  std::string worker;
  std::string token;  // id of the token that will hold the lease
  std::int64_t lease_seconds = 60;
  std::chrono::milliseconds patience{0};
  std::string beside{};  // as JobStore::claim has it; then nothing is waited for
  LogContext context{};  // of the request
};

struct ClaimerOptions {
  std::chrono::milliseconds look_again{5'000};  // without a notification
  // How long a worker's kind is taken as known; those that wait are seen as often.
  std::chrono::milliseconds kind_lasts{20'000};
  std::chrono::milliseconds missed_pause{5};  // before jobs that others were claiming are looked at
  std::function<void(double seconds)> took{};  // told of each claim; may be empty
};

class Claimer {
 public:
  // `store` must outlive stop(). Begins at once.
  Claimer(const boost::asio::any_io_executor& executor, Store& store, ClaimerOptions options = {});
  ~Claimer();
  Claimer(const Claimer&) = delete;
  Claimer& operator=(const Claimer&) = delete;

  // Claims the next job for the worker, waiting for one as long as patience and peer last; nothing
  // when none came. A lease that nobody is there to receive any more is handed back uncounted.
  // Errors as JobStore::claim.
  Async<std::optional<Lease>> claim(Peer& peer, LeaseWait wait);

  // How many wait.
  std::size_t waiting() const;
  // Ends all waits.
  void stop();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace hone
