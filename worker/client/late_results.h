// Results that honed did not take while their slot could wait, and those that an earlier run left
// in the spool: sent again one after the other, round by round, until honed has them or never will.
//
// A job is done once, whoever measured it: a lease that ended meanwhile makes honed answer that the
// result is too late. What the spool could not keep (a full disk) is held in memory, and put into
// the spool as soon as that is possible. A thread of its own. Thread safe.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "worker/client/result_sender.h"

namespace hone {

class LateResults {
 public:
  // Waiting at once, and of these in memory since the spool could not keep them.
  static constexpr std::size_t kMost = 1000;
  static constexpr std::size_t kMostInMemory = 64;

  // All must outlive it. `first_pause` between two rounds doubles up to that of BackOff. `give_up`
  // is told where honed does not know the worker's token.
  LateResults(ResultSender& sender, ResultSpool& spool, std::chrono::milliseconds first_pause,
              std::function<void(const Error&)> give_up);

  // Takes the result over (it is moved from then), unless too many wait already.
  bool take(HeldResult& held);
  // Those that the spool holds, the oldest first.
  void take_spooled();
  // Whether any wait: then honed takes no results just now, or not all, and nobody need wait for
  // it.
  bool any() const;

  // One more round for all that wait, more for what only memory holds, until the sender's time is
  // over. Says what becomes of those that are left. Call once, at the end.
  void finish();

 private:
  struct Waiting {
    std::string attempt;
    std::optional<HeldResult> in_memory = std::nullopt;  // absent: the spool holds it
  };
  enum class Next { gone, keep, keep_and_pause };

  void run(const std::stop_token& ended);
  // Sends each once. Whether any of them left.
  bool round();
  void put_back(std::vector<Waiting> left);
  Next send(Waiting& waiting);

  ResultSender& sender_;
  ResultSpool& spool_;
  const std::chrono::milliseconds first_pause_;
  const std::function<void(const Error&)> give_up_;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable_any changed_;
  std::vector<Waiting> waiting_;
  std::size_t in_round_ = 0;   // taken out for a round that is under way
  std::size_t in_memory_ = 0;  // of all
  std::jthread thread_;        // last: it uses all of the above
};

}  // namespace hone
