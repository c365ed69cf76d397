// Who the tokens of late requests belong to, so that the database is not asked for each one.
//
// An entry is good until a token was revoked or changed (here, or as the database tells it), and
// for five seconds at most; for one while nobody listens to the database. Only tokens that were
// good are kept. Not thread safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "server/http/message.h"
#include "server/store/store.h"

namespace hone {

class TokenCache {
 public:
  // Outlived by the store.
  explicit TokenCache(Store& store);

  // From memory; null if that does not say.
  std::shared_ptr<const Caller> known(std::string_view secret) const;
  // From the store, and kept. unauthenticated if nobody's.
  Async<Caller> look_up(std::string secret);
  // The same, but where the store does not answer within a second: as it was last known, if that is
  // not longer ago than a day. What such a caller may see must be worth no more than that.
  Async<Caller> look_up_soon(std::string secret);

 private:
  struct Entry {
    std::string secret;
    std::shared_ptr<const Caller> caller;
    std::uint64_t mark = 0;  // of Channel::tokens, before it was looked up
    std::chrono::steady_clock::time_point looked_up;
  };
  std::uint64_t key_of(std::string_view secret) const;
  const Entry* find(std::string_view secret) const;

  Store& store_;
  std::uint64_t seed_;  // of the keys, so that nobody can choose tokens that share one
  std::unordered_map<std::uint64_t, Entry> entries_;
};

}  // namespace hone
