// Threads for work that blocks (on a disk, on a network), so that a slow one delays what waits for
// it and nothing else. Results come back to the coroutine's executor.
//
// The pool is used from one executor that one thread runs; the work runs on the pool's threads.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "server/store/async.h"

namespace hone {

// How what may outlive the pool asks for it: `threads` is null once the pool is gone.
struct BlockingGate {
  boost::asio::thread_pool* threads = nullptr;
};

class BlockingPool {
 public:
  explicit BlockingPool(std::size_t threads)
      : threads_(threads), gate_(std::make_shared<BlockingGate>(BlockingGate{&threads_})) {}
  // Waits for the work under way.
  ~BlockingPool() {
    threads_.join();
    gate_->threads = nullptr;
  }
  BlockingPool(const BlockingPool&) = delete;
  BlockingPool& operator=(const BlockingPool&) = delete;

  const std::shared_ptr<BlockingGate>& gate() const { return gate_; }

 private:
  boost::asio::thread_pool threads_;
  std::shared_ptr<BlockingGate> gate_;
};

// Runs `work` on the pool and resumes the coroutine where it was; unavailable once the pool is
// gone. `work` owns, or shares, all it uses: the coroutine may be destroyed meanwhile.
template <class T>
Async<T> run_blocking(std::shared_ptr<BlockingGate> gate, std::function<Result<T>()> work) {
  namespace asio = boost::asio;
  if (gate->threads == nullptr) {
    co_return fail(ErrorCode::unavailable, "the artifact store was closed");
  }
  auto initiate = [&threads = *gate->threads, work = std::move(work)](auto handler) mutable {
    auto executor = asio::prefer(asio::get_associated_executor(handler),
                                 asio::execution::outstanding_work.tracked);
    asio::post(threads, [work = std::move(work), executor, handler = std::move(handler)]() mutable {
      Result<T> result = work();
      asio::post(executor, [handler = std::move(handler), result = std::move(result)]() mutable {
        std::move(handler)(std::move(result));
      });
    });
  };
  Result<T> result = co_await asio::async_initiate<const asio::use_awaitable_t<>, void(Result<T>)>(
      std::move(initiate), asio::use_awaitable);
  co_return result;
}

}  // namespace hone
