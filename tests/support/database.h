// A real PostgreSQL for tests: one private cluster per test program, started at first use in a
// folder of TMPDIR and gone at the end; a database of its own for every test.
//
// Works as root (PostgreSQL then runs as the user postgres) and as a plain user.
#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "common/base/file.h"
#include "server/store/cluster/private_cluster.h"

namespace hone::test {

inline void run_on(boost::asio::io_context& context, boost::asio::awaitable<void> work) {
  std::exception_ptr thrown;
  bool over = false;
  boost::asio::co_spawn(context, std::move(work), [&](std::exception_ptr error) {
    thrown = error;
    over = true;
  });
  context.restart();
  while (!over && context.run_one() > 0) {
  }
  if (thrown) {
    std::rethrow_exception(thrown);
  }
}

template <class T>
boost::asio::awaitable<void> keep_value(boost::asio::awaitable<T> work, std::optional<T>& value) {
  T result = co_await std::move(work);
  value.emplace(std::move(result));
}

// Runs the context until the coroutine is over, and gives its value. Other coroutines of the
// context go on meanwhile. Exceptions pass through.
template <class T>
T run_on(boost::asio::io_context& context, boost::asio::awaitable<T> work) {
  std::optional<T> value;
  run_on(context, keep_value(std::move(work), value));
  return *std::move(value);
}

// A temporary folder that the user postgres may pass through.
TemporaryFolder passable_folder();

// The test program's cluster. Fails the program loudly if there can be none.
PrivateCluster& shared_cluster();

// Makes an empty database in it; gives the URL. Names are never used twice.
std::string new_database();
// The same with Hone's schema in it already: a copy of one that was migrated.
std::string new_migrated_database();

}  // namespace hone::test
