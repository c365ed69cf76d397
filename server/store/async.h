// What every function of the store returns: a coroutine that gives a value or an Error.
//
// Everything runs on one executor that one thread runs; nothing here is thread safe, nothing needs
// a lock. Arguments are taken by value, so that a coroutine never outlives what it reads. No
// function throws for what can be expected of a database; besides its own errors each may fail with
// unavailable (no connection, the server is restarting, no free connection in time, the database's
// disk is full), timed_out (statement time limit), io_failed or internal (a bug of ours).
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "common/base/result.h"

namespace hone {

template <class T = void>
using Async = boost::asio::awaitable<Result<T>>;

// The connection pool behind the store classes; its definition, and libpq, stay in server/store/pg.
class PgPool;

}  // namespace hone
