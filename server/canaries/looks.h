// Work that goes on by itself, one piece a name, so that a slow one delays nobody else's.
//
// One executor that one thread runs; not thread safe. It outlives the work: wait for the end first.
#pragma once

#include <chrono>
#include <set>
#include <string>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

namespace hone {

class Looks {
 public:
  bool under_way(const std::string& name) const { return under_way_.contains(name); }
  // Starts `work`, which is a bug of ours if it throws. No other of that name may be under way.
  void start(const boost::asio::any_io_executor& executor, const std::string& name,
             boost::asio::awaitable<void> work);
  // Until all of it is over, or the time is. One waits at a time.
  boost::asio::awaitable<void> wait(std::chrono::milliseconds time);
  // Until all of it is over.
  boost::asio::awaitable<void> settle();

 private:
  boost::asio::awaitable<void> run(std::string name, boost::asio::awaitable<void> work);

  std::set<std::string> under_way_;
  boost::asio::steady_timer* waits_ = nullptr;
};

}  // namespace hone
