// A transaction. Ends with commit() or rollback(); one that is dropped takes its connection with it
// (a destructor cannot wait), and the server rolls back.
//
// in_transaction() is the usual way to have one: it rolls back when the body fails, and runs the
// body again after a serialization failure, a deadlock, or a connection lost before COMMIT was
// sent.
#pragma once

#include <chrono>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "server/store/pg/pg_pool.h"

namespace hone {

class PgTransaction {
 public:
  static PgAsync<PgTransaction> begin(PgPool& pool);
  PgTransaction(PgTransaction&&) noexcept = default;

  PgAsync<PgResult> execute(const PgStatement& statement, PgParams params);
  // Fails also when the server rolled back because an earlier statement had failed.
  PgAsync<> commit();
  boost::asio::awaitable<void> rollback();

  // Whether running the whole transaction again may help, after what its last failure was.
  bool may_run_again() const { return may_run_again_; }

 private:
  explicit PgTransaction(PgPool::Lease lease) : lease_(std::move(lease)) {}

  PgPool::Lease lease_;
  bool may_run_again_ = false;
};

inline constexpr int kTransactionTries = 5;
// Random, and longer with each try, so that two that met do not meet again.
std::chrono::milliseconds pause_before_try(int number);

// `body` is called as body(PgTransaction&), gives an Async<T>, and may be called several times. It
// must stay alive meanwhile: name it in the caller.
template <class T, class Body>
Async<T> in_transaction(PgPool& pool, const Body& body) {
  for (int attempt = 1;; ++attempt) {
    PgOutcome<PgTransaction> begun = co_await PgTransaction::begin(pool);
    if (!begun) {
      if (begun.error().connection_lost && attempt < kTransactionTries) {
        continue;
      }
      co_return std::move(begun).error();
    }
    PgTransaction transaction = *std::move(begun);
    Async<T> running = body(transaction);
    Result<T> result = co_await std::move(running);
    if (result) {
      PgOutcome<> committed = co_await transaction.commit();
      if (committed) {
        co_return result;
      }
      result = committed.error().to_error();
    } else {
      co_await transaction.rollback();
    }
    if (!transaction.may_run_again() || attempt == kTransactionTries) {
      co_return result;
    }
    boost::asio::steady_timer timer(pool.executor(), pause_before_try(attempt + 1));
    co_await timer.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
  }
}

}  // namespace hone
