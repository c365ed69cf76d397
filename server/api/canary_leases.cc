#include "server/api/canary_leases.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace hone {

namespace asio = boost::asio;

struct CanaryLeases::Reading {
  explicit Reading(const asio::any_io_executor& executor)
      : over(executor, asio::steady_timer::time_point::max()) {}

  Time begun;
  asio::steady_timer over;  // cancelled at the end
  bool done = false;
  std::optional<Error> error;
  // Until when each may serve.
  std::unordered_map<std::string, Time> serving;
};

CanaryLeases::CanaryLeases(Read read, std::function<Time()> now)
    : read_(std::move(read)), now_(std::move(now)) {}

asio::awaitable<void> CanaryLeases::fill(std::shared_ptr<Reading> reading) {
  // Also when this coroutine is destroyed: who waits asks himself then.
  struct End {
    Reading& reading;
    ~End() {
      reading.done = true;
      reading.over.cancel();
    }
  };
  const End end{*reading};
  reading->error = fail(ErrorCode::unavailable, "the question for leases was given up");
  Async<std::vector<ServingCanary>> asking = read_();
  const Result<std::vector<ServingCanary>> found = co_await std::move(asking);
  if (!found) {
    reading->error = found.error();
    co_return;
  }
  reading->error.reset();
  for (const ServingCanary& canary : *found) {
    reading->serving[canary.id] =
        canary.left_ms ? reading->begun + std::chrono::milliseconds(*canary.left_ms) : Time::max();
  }
}

Async<bool> CanaryLeases::may_serve(std::string id) {
  // As PostgreSQL writes them.
  std::ranges::transform(
      id, id.begin(), [](char c) { return c >= 'A' && c <= 'F' ? static_cast<char>(c + 32) : c; });
  std::shared_ptr<Reading> reading = last_;
  if (reading == nullptr || (reading->done && now_() >= reading->begun + kGood)) {
    const asio::any_io_executor executor = co_await asio::this_coro::executor;
    reading = std::make_shared<Reading>(executor);
    reading->begun = now_();
    last_ = reading;
    co_await fill(reading);
    if (reading->error) {
      reading->begun = now_();  // one that failed late is not repeated at once
    }
  }
  while (!reading->done) {
    co_await reading->over.async_wait(asio::as_tuple(asio::use_awaitable));
  }
  if (reading->error) {
    co_return *reading->error;
  }
  const auto found = reading->serving.find(id);
  co_return found != reading->serving.end() && now_() < found->second;
}

void CanaryLeases::forget() {
  last_.reset();
}

}  // namespace hone
