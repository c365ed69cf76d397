#include "server/canaries/looks.h"

#include <exception>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace hone {

namespace asio = boost::asio;

void Looks::start(const asio::any_io_executor& executor, const std::string& name,
                  asio::awaitable<void> work) {
  under_way_.insert(name);
  asio::co_spawn(executor, run(name, std::move(work)), [](const std::exception_ptr& error) {
    if (error) {
      std::rethrow_exception(error);
    }
  });
}

asio::awaitable<void> Looks::run(std::string name, asio::awaitable<void> work) {
  co_await std::move(work);
  under_way_.erase(name);
  if (under_way_.empty() && waits_ != nullptr) {
    waits_->cancel();
  }
}

asio::awaitable<void> Looks::wait(std::chrono::milliseconds time) {
  if (under_way_.empty()) {
    co_return;
  }
  const asio::any_io_executor executor = co_await asio::this_coro::executor;
  asio::steady_timer timer(executor, time);
  waits_ = &timer;
  co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
  waits_ = nullptr;
}

asio::awaitable<void> Looks::settle() {
  while (!under_way_.empty()) {
    co_await wait(std::chrono::hours(1));
  }
}

}  // namespace hone
