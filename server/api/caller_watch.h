// Callers as their tokens make them, and whether they still are what they were when they opened
// what lasts: a stream of events or lines, a WebSocket. Not thread safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "server/http/message.h"
#include "server/store/store.h"

namespace hone {

// Of a token whose secret TokenView::shown was given.
Caller caller_of(TokenView token);
// Whether the token, or the secret, is over by this machine's clock.
bool is_over(const Caller& caller);

enum class CallerChange {
  none,
  rights,  // other targets, or other rights to them
  gone,    // the token was revoked or is over, or the secret that was shown is good no more
};

class CallerWatch {
 public:
  // Outlived by the store.
  CallerWatch(Store& store, Caller caller) : store_(store), caller_(std::move(caller)) {}

  // What changed since the last time, or since the request was let in. The token is looked up the
  // first time, when some token changed, here or elsewhere, and every few seconds (kept_for.h).
  // Errors are the store's, and say nothing about the caller: ask again.
  Async<CallerChange> look();
  // The same for who must not go on after a change: unauthenticated if the caller is gone,
  // unavailable if it has other rights now and may come back with these.
  Async<void> check();

  const Caller& caller() const { return caller_; }

 private:
  Store& store_;
  Caller caller_;
  std::optional<std::uint64_t> mark_;  // of Channel::tokens, when it was looked up
  std::chrono::steady_clock::time_point looked_up_;
};

}  // namespace hone
