// Wakes coroutines when the database says that something changed (LISTEN/NOTIFY on a connection of
// its own, which reconnects by itself). A notification only says "look again"; it holds no data,
// and one may be given for nothing: after a reconnect everybody is woken. Not thread safe.
//
// To wait for a condition without missing its change: take a mark, look, then wait from the mark.
//
//   const auto mark = notifications.mark(Channel::queue);
//   auto lease = co_await jobs.claim(...);
//   if (lease && !*lease) co_await notifications.wait(Channel::queue, mark, timeout);
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

namespace hone {

enum class Channel {
  queue,      // a job was queued
  events,     // an event was stored (any change of a job's or campaign's state)
  campaigns,  // a campaign may have become due
  tokens,     // what a token may do changed: it was revoked, rotated, or its grants are others
  workers,    // a worker was drained or takes jobs again, or targets require something new
  policies,   // a policy was published, promoted or signed
};
inline constexpr std::size_t kChannels = 6;

class Notifications {
 public:
  // `database_url` as for Store. Listening starts at once and goes on until stop().
  Notifications(const boost::asio::any_io_executor& executor, std::string database_url);
  ~Notifications();
  Notifications(const Notifications&) = delete;
  Notifications& operator=(const Notifications&) = delete;

  // How often the channel was notified so far.
  std::uint64_t mark(Channel channel) const;
  // Until the channel was notified after `mark` was taken (true), or the time is over, the waiting
  // coroutine was cancelled or stop() was called (false).
  boost::asio::awaitable<bool> wait(Channel channel, std::uint64_t mark,
                                    std::chrono::milliseconds timeout);
  // Wakes as a notification does, for what was changed here: the database's own comes a moment
  // later.
  void note(Channel channel);
  // Whether the listening connection stands; while it does not, waits end by their time only.
  bool listening() const;
  // Ends the connection and all waits.
  void stop();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace hone
