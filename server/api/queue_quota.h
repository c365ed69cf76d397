// How many jobs of one token may wait in the queue, so that a pipeline gone wild fills it for
// nobody else. Counted in the database every ten seconds while the token submits, and by what is
// submitted here in between: an estimate, too high when jobs were claimed meanwhile, corrected by
// counting again before anything is refused. Not thread safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

#include "server/store/store.h"

namespace hone {

class QueueQuota {
 public:
  // Outlived by the store. 0: without limit.
  QueueQuota(Store& store, std::int64_t most) : store_(store), most_(most) {}

  // Before so many jobs are submitted for the token: resource_exhausted if they are too many with
  // those that wait.
  Async<void> admit(std::string token, std::string name, std::int64_t jobs);

 private:
  struct Count {
    std::int64_t queued = 0;
    std::chrono::steady_clock::time_point counted;
  };
  Async<void> count(std::string token);

  Store& store_;
  std::int64_t most_;
  std::map<std::string, Count> counts_;  // by token's id
};

}  // namespace hone
