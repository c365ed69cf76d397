// How many jobs of one token may wait in the queue, so that a pipeline gone wild fills it for
// nobody else. Counted in the database every ten seconds while the token submits, and by what is
// submitted here in between: an estimate, too high when jobs were claimed meanwhile, corrected by
// counting again before anything is refused. Not thread safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "server/store/store.h"

namespace hone {

class QueueQuota {
  struct Count {
    std::int64_t queued = 0;
    std::int64_t coming = 0;  // for which room is held
    std::chrono::steady_clock::time_point counted;
  };

 public:
  // Room for jobs that are being submitted; given back at its end unless they were.
  class Room {
   public:
    Room() = default;
    Room(Room&& other) noexcept = default;
    Room& operator=(Room&& other) = delete;
    Room(const Room&) = delete;
    Room& operator=(const Room&) = delete;
    ~Room();
    // They are in the queue now.
    void filled();

   private:
    friend class QueueQuota;
    Room(std::shared_ptr<Count> count, std::int64_t jobs);

    std::shared_ptr<Count> count_;
    std::int64_t jobs_ = 0;
  };

  // Outlived by the store. 0: without limit.
  QueueQuota(Store& store, std::int64_t most) : store_(store), most_(most) {}

  // Before so many jobs are submitted for the token: resource_exhausted if they are too many with
  // those that wait.
  Async<Room> admit(std::string token, std::string name, std::int64_t jobs);

 private:
  Async<std::shared_ptr<Count>> count(std::string token);

  Store& store_;
  std::int64_t most_;
  std::map<std::string, std::shared_ptr<Count>> counts_;  // by token's id
};

}  // namespace hone
