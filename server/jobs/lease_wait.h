// The long poll of a worker that asks for a job. Not thread safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "common/protocol/lease.h"
#include "server/http/message.h"
#include "server/store/store.h"

namespace hone {

struct LeaseWait {
  std::string worker;
  std::string token;  // id of the token that will hold the lease
  std::int64_t lease_seconds = 60;
  std::chrono::milliseconds patience{0};
  std::string beside;                             // as JobStore::claim has it
  LogContext context{};                           // of the request
  std::function<void(double seconds)> claimed{};  // told what each claim took; may be empty
};

// Claims the next job for the worker, waiting for one as long as patience and peer last; nothing
// when none came. Woken by the store when a job is queued, by whichever coordinator. A lease that
// nobody is there to receive any more is handed back uncounted. Errors as JobStore::claim.
Async<std::optional<Lease>> wait_for_lease(Store& store, Peer& peer, LeaseWait wait);

}  // namespace hone
