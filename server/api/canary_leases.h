// Which canaries may have traffic, as the database said lately: balancers ask often, and anybody
// may.
//
// All of them are read at once, at most once in kGood, whatever is asked and by how many: an id
// that nobody has costs the database nothing. A lease is never given beyond its end, since how long
// it lasts is read with it and counted from before the question was sent; that a canary was
// withdrawn is known kGood later at most, or at once where forget() is called. Not thread safe: one
// executor that one thread runs.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "server/store/canary_store.h"

namespace hone {

class CanaryLeases {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Read = std::function<Async<std::vector<ServingCanary>>()>;

  // How old an answer may be, be it that the database gave none. Half of what balancers let pass
  // between two checks.
  static constexpr std::chrono::milliseconds kGood{250};

  // `read` asks the store, once at a time unless forget() was called; `now` is the time.
  explicit CanaryLeases(Read read, std::function<Time()> now = std::chrono::steady_clock::now);

  // Errors are the store's.
  Async<bool> may_serve(std::string id);
  // Something changed here: the next question is the database's to answer.
  void forget();

 private:
  // What one reading gave. Shared by all who wait for it.
  struct Reading;

  boost::asio::awaitable<void> fill(std::shared_ptr<Reading> reading);

  Read read_;
  std::function<Time()> now_;
  std::shared_ptr<Reading> last_;
};

}  // namespace hone
