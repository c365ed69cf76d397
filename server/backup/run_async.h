// Runs one coroutine of the store to its end, for programs that do one thing at a time.
#pragma once

#include <exception>
#include <optional>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "server/store/async.h"

namespace hone {

// `work(context)` gives an Async<T>.
template <class T, class Work>
Result<T> run_async(const Work& work) {
  boost::asio::io_context context(1);
  std::optional<Result<T>> end;
  boost::asio::co_spawn(context, work(context),
                        [&](const std::exception_ptr& failure, Result<T> result) {
                          if (failure != nullptr) {
                            std::rethrow_exception(failure);
                          }
                          end.emplace(std::move(result));
                          context.stop();
                        });
  context.run();
  if (!end) {
    return fail(ErrorCode::internal, "the work came to no end");
  }
  return *std::move(end);
}

}  // namespace hone
