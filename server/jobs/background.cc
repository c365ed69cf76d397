#include "server/jobs/background.h"

#include <exception>
#include <set>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "common/base/log.h"

namespace hone {
namespace {

namespace asio = boost::asio;
constexpr auto kToken = asio::as_tuple(asio::use_awaitable);

std::string what_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "unknown";
  }
}

}  // namespace

struct Background::State {
  State(asio::any_io_executor on, std::function<void()> call)
      : executor(std::move(on)), failed(std::move(call)), all_ended(executor) {
    all_ended.expires_at(asio::steady_timer::time_point::max());
  }

  asio::any_io_executor executor;
  std::function<void()> failed;
  asio::steady_timer all_ended;
  std::set<asio::steady_timer*> sleepers;
  std::size_t running = 0;
  bool stopping = false;
};

Background::Background(asio::any_io_executor executor, std::function<void()> failed)
    : state_(std::make_shared<State>(std::move(executor), std::move(failed))) {}

Background::~Background() {
  request_stop();
}

void Background::spawn(std::string name, asio::awaitable<void> task) {
  ++state_->running;
  asio::co_spawn(state_->executor, std::move(task),
                 [state = state_, name = std::move(name)](const std::exception_ptr& failure) {
                   if (failure != nullptr) {
                     log_error("task_failed", {{"task", name}, {"reason", what_of(failure)}});
                     state->failed();
                   }
                   if (--state->running == 0) {
                     state->all_ended.cancel();
                   }
                 });
}

bool Background::stopping() const {
  return state_->stopping;
}

asio::awaitable<void> Background::sleep(std::chrono::milliseconds time) {
  const std::shared_ptr<State> state = state_;
  if (state->stopping) {
    co_return;
  }
  asio::steady_timer timer(state->executor, time);
  state->sleepers.insert(&timer);
  co_await timer.async_wait(kToken);
  state->sleepers.erase(&timer);
}

void Background::request_stop() {
  state_->stopping = true;
  for (asio::steady_timer* timer : state_->sleepers) {
    timer->cancel();
  }
}

asio::awaitable<void> Background::join() {
  const std::shared_ptr<State> state = state_;
  while (state->running > 0) {
    co_await state->all_ended.async_wait(kToken);
  }
}

}  // namespace hone
