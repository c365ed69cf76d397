// A thread beside the server's one, for work that would hold up everybody else (parsing and hashing
// of large bodies).
#pragma once

#include <type_traits>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace hone {

boost::asio::thread_pool& cpu_pool();

template <class Work>
boost::asio::awaitable<std::invoke_result_t<Work>> as_coroutine(Work work) {
  co_return work();
}

// Runs `work()` on the pool and resumes the caller on its own executor. What `work` refers to must
// live until then; it must not touch what belongs to the server's thread.
template <class Work>
boost::asio::awaitable<std::invoke_result_t<Work>> on_cpu_pool(Work work) {
  boost::asio::awaitable<std::invoke_result_t<Work>> running = as_coroutine(std::move(work));
  co_return co_await boost::asio::co_spawn(cpu_pool(), std::move(running),
                                           boost::asio::use_awaitable);
}

}  // namespace hone
