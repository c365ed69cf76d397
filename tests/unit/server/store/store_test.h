// A Store on a database of its own, and the records that most tests begin with.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include "server/store/pg/pg_connection.h"
#include "server/store/store.h"
#include "tests/support/database.h"

namespace hone::test {

class StoreTest : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  // The value of a store call, which must succeed.
  template <class T>
  T get(Async<T> work) {
    Result<T> result = run_on(context, std::move(work));
    if (!result) {
      throw std::runtime_error(result.error().describe());
    }
    return *std::move(result);
  }
  void done(Async<void> work) {
    const Result<void> result = run_on(context, std::move(work));
    ASSERT_TRUE(result) << result.error().describe();
  }
  // The error of a store call, which must fail.
  template <class T>
  Error error_of(Async<T> work) {
    Result<T> result = run_on(context, std::move(work));
    return result ? Error{ErrorCode::internal, "it did not fail", {}} : result.error();
  }

  // Another session with a transaction under way, as of another coordinator, which ran `text`.
  std::unique_ptr<PgConnection> begin_other(const std::string& text);
  // What a store call gives that begins while the other's transaction is under way: this one is
  // committed when the call waits for a lock, or is over.
  template <class T>
  Result<T> overlapping(PgConnection& other, Async<T> work) {
    std::optional<Result<T>> answer;
    boost::asio::co_spawn(context, std::move(work), [&](std::exception_ptr, Result<T> result) {
      answer.emplace(std::move(result));
    });
    while (!answer && !is_anybody_waiting()) {
    }
    commit(other);
    context.restart();
    while (!answer && context.run_one() > 0) {
    }
    return *std::move(answer);
  }

  // SQL beside the store, as an administrator would; gives the first column of the first row.
  std::string sql(const std::string& text);

  // Registers a target, a worker, or gives jobs to the queue.
  void add_target(const std::string& name = "lz4");
  void add_worker(const std::string& name = "w1");
  std::vector<std::string> submit(std::size_t count, const std::string& target = "lz4",
                                  std::int64_t priority = 0, std::int64_t max_attempts = 3);
  std::optional<Lease> claim(const std::string& worker = "w1", std::int64_t seconds = 60);
  // Ends the leases that are over, as who just noted that he serves.
  std::vector<EndedLease> expire_leases();
  // A campaign with that many candidates, racing.
  std::string race(std::int64_t candidates, std::optional<std::int64_t> budget = std::nullopt,
                   std::int64_t priority = 0);

  boost::asio::io_context context;
  // No pause: most tests lease again at once what they handed back. Set before SetUp().
  RetryPause retry{.first = std::chrono::milliseconds(0)};
  std::string url;
  std::unique_ptr<Store> store;
  std::string token;  // id of an admin token

 private:
  bool is_anybody_waiting();
  void commit(PgConnection& other);
};

TargetSpec example_target(const std::string& name);
JobRequest example_job(const std::string& target);
CandidateSet example_set(std::int64_t candidates);
// A result that uses every field; its samples are not round numbers.
AttemptResult example_result(double reward = 0.0123456789012345);
AttemptResult failed_result(Outcome outcome, const std::string& reason);

}  // namespace hone::test
