// Work that runs beside the requests for as long as honed does, and ends with it.
//
// One executor that one thread runs; not thread safe.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

namespace hone {

class Background {
 public:
  // `failed` is called when a task ends by an exception, which is a bug of ours.
  Background(boost::asio::any_io_executor executor, std::function<void()> failed);
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  // Starts a task. It should look at stopping() between its steps, and sleep by sleep().
  void spawn(std::string name, boost::asio::awaitable<void> task);

  bool stopping() const;
  // Waits; ends early when the stop is requested.
  boost::asio::awaitable<void> sleep(std::chrono::milliseconds time);

  void request_stop();
  // Until every task has ended. Call request_stop() first.
  boost::asio::awaitable<void> join();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace hone
