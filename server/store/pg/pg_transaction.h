// A transaction. Ends with commit() or rollback(); one that is dropped takes its connection with it
// (a destructor cannot wait), and the server rolls back.
//
// One through a pool that audits a change (PgPool(connections, entry)) writes its entry when it
// commits; what the change was about is told on the way.
//
// in_transaction() is the usual way to have one: it rolls back when the body fails, and runs the
// body again after a serialization failure, a deadlock, or a connection lost before COMMIT was
// sent.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "common/json/document.h"
#include "server/store/pg/pg_pool.h"

namespace hone {

class PgTransaction {
 public:
  static PgAsync<PgTransaction> begin(PgPool& pool);
  PgTransaction(PgTransaction&&) noexcept = default;

  PgAsync<PgResult> execute(const PgStatement& statement, PgParams params);
  // For the audit log: what was changed, where the caller could not know it before; and what it was
  // before and after, as JSON objects in a few words, without secrets. Nothing where none is kept.
  void changes_object(std::string object);
  void changes_target(std::string target);
  void changes_from(const Json& before);
  void changes_to(const Json& after);
  // There is nothing to be logged: it is as it was.
  void changed_nothing() { audit_.reset(); }

  // Fails also when the server rolled back because an earlier statement had failed.
  PgAsync<> commit();
  boost::asio::awaitable<void> rollback();

  // Whether running the whole transaction again may help, after what its last failure was.
  bool may_run_again() const { return may_run_again_; }

 private:
  PgTransaction(PgPool::Lease lease, std::optional<AuditEntry> audit)
      : lease_(std::move(lease)), audit_(std::move(audit)) {}

  PgPool::Lease lease_;
  std::optional<AuditEntry> audit_;
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
