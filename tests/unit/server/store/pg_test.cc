// The libpq wrapper: connections, parameters, pool, transactions.

#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include "server/store/pg/pg_transaction.h"
#include "tests/unit/server/store/store_test.h"

namespace hone::test {
namespace {

using std::chrono::milliseconds;

class PgTest : public ::testing::Test {
 protected:
  void SetUp() override { url = new_database(); }
  std::unique_ptr<PgConnection> connect() {
    PgConnectOptions options;
    options.url = url;
    options.statement_timeout = timeout;
    auto made = run_on(context, PgConnection::connect(context.get_executor(), options));
    if (!made) {
      throw std::runtime_error(made.error().message);
    }
    return *std::move(made);
  }
  PgPoolOptions pool_options(std::size_t size) {
    PgPoolOptions options;
    options.connect.url = url;
    options.size = size;
    options.acquire_timeout = milliseconds(10'000);
    return options;
  }
  PgOutcome<PgResult> run(PgConnection& connection, const std::string& sql) {
    return run_on(context, connection.run(sql));
  }

  boost::asio::io_context context;
  std::string url;
  milliseconds timeout{30'000};
};
using PgConnectionTest = PgTest;
using PgParamsTest = PgTest;
using PgPoolTest = PgTest;
using PgTransactionTest = PgTest;

TEST_F(PgConnectionTest, GivesRowsByColumnName) {
  const auto connection = connect();
  const auto result = run(*connection, "SELECT 1 AS a, 'x'::text AS b, NULL::int AS c, true AS d");
  ASSERT_TRUE(result);
  const PgRow row = result->first();
  EXPECT_EQ(row.integer("a"), 1);
  EXPECT_EQ(row.text("b"), "x");
  EXPECT_EQ(row.optional_integer("c"), std::nullopt);
  EXPECT_EQ(row.text_or_empty("c"), "");
  EXPECT_TRUE(row.truth("d"));
  EXPECT_THROW((void)row.integer("b"), std::logic_error);
  EXPECT_THROW((void)row.integer("c"), std::logic_error);
  EXPECT_THROW((void)row.text("no_such"), std::logic_error);
}

TEST_F(PgConnectionTest, AnErrorKeepsItsSqlstateAndTheConnectionItsUse) {
  const auto connection = connect();
  auto failed = run(*connection, "SELECT 1/0");
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().sqlstate, "22012");
  EXPECT_FALSE(failed.error().connection_lost);
  EXPECT_TRUE(connection->idle());
  run(*connection, "CREATE TABLE t (x int CONSTRAINT x_is_positive CHECK (x > 0))");
  failed = run(*connection, "INSERT INTO t VALUES (0)");
  EXPECT_EQ(failed.error().constraint, "x_is_positive");
  EXPECT_EQ(failed.error().to_error().code, ErrorCode::internal);
}

TEST_F(PgConnectionTest, APreparedStatementThatFailedOnceIsPreparedAgain) {
  const auto connection = connect();
  const PgStatement statement{"late", "SELECT x FROM late", Repeat::safe};
  EXPECT_FALSE(run_on(context, connection->execute(statement, PgParams())));
  run(*connection, "CREATE TABLE late AS SELECT 5 AS x");
  for (int i = 0; i < 2; ++i) {
    const auto result = run_on(context, connection->execute(statement, PgParams()));
    ASSERT_TRUE(result);
    EXPECT_EQ(result->first().integer("x"), 5);
  }
}

TEST_F(PgConnectionTest, AStatementIsStoppedByItsTimeLimit) {
  timeout = milliseconds(100);
  const auto connection = connect();
  const auto slow = run(*connection, "SELECT pg_sleep(20)");
  ASSERT_FALSE(slow);
  EXPECT_EQ(slow.error().sqlstate, "57014");
  EXPECT_EQ(slow.error().to_error().code, ErrorCode::timed_out);
  EXPECT_TRUE(connection->idle());
}

TEST_F(PgConnectionTest, ATerminatedOneIsLost) {
  const auto connection = connect();
  const auto killer = connect();
  run(*killer, "SELECT pg_terminate_backend(" + std::to_string(connection->backend_pid()) + ")");
  const auto result = run(*connection, "SELECT pg_sleep(5)");
  ASSERT_FALSE(result);
  EXPECT_TRUE(result.error().connection_lost);
  EXPECT_EQ(result.error().to_error().code, ErrorCode::unavailable);
  EXPECT_TRUE(connection->lost());
  EXPECT_FALSE(connection->idle());
}

TEST_F(PgConnectionTest, ARefusedConnectionGivesTheReason) {
  PgConnectOptions options;
  options.url = "host=127.0.0.1 port=1 dbname=x";
  const auto made = run_on(context, PgConnection::connect(context.get_executor(), options));
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().to_error().code, ErrorCode::unavailable);
  EXPECT_NE(made.error().message.find("refused"), std::string::npos) << made.error().message;
}

TEST_F(PgConnectionTest, LargeParametersAndAnswersPass) {
  const auto connection = connect();
  const std::string large(std::size_t{20} << 20U, 'x');
  const PgStatement statement{"echo", "SELECT $1::text AS echo", Repeat::safe};
  PgParams params;
  params.text(large);
  const auto result = run_on(context, connection->execute(statement, std::move(params)));
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->first().view("echo"), large);
}

TEST_F(PgParamsTest, ValuesComeBackAsTheyWere) {
  const auto connection = connect();
  const PgStatement statement{"all",
                              "SELECT $1::bigint AS i, $2::float8 AS n, $3::boolean AS t, "
                              "$4::text AS x, $5::text AS none, $6::jsonb AS j, $7::numeric AS u",
                              Repeat::safe};
  PgParams params;
  params.integer(std::numeric_limits<std::int64_t>::min())
      .number(0.1 + 0.2)
      .truth(false)
      .text("a 'quoted' \"text\" \\ with {braces}, and \xe2\x82\xac")
      .text_or_null("")
      .json(Json{{"k", {1, 2.5, "v"}}})
      .unsigned_integer(std::numeric_limits<std::uint64_t>::max());
  const auto result = run_on(context, connection->execute(statement, std::move(params)));
  ASSERT_TRUE(result) << result.error().message;
  const PgRow row = result->first();
  EXPECT_EQ(row.integer("i"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(row.number("n"), 0.1 + 0.2);
  EXPECT_FALSE(row.truth("t"));
  EXPECT_EQ(row.text("x"), "a 'quoted' \"text\" \\ with {braces}, and \xe2\x82\xac");
  EXPECT_TRUE(row.is_null("none"));
  EXPECT_EQ(row.json("j"), (Json{{"k", {1, 2.5, "v"}}}));
  EXPECT_EQ(row.unsigned_integer("u"), std::numeric_limits<std::uint64_t>::max());
}

TEST_F(PgParamsTest, ArraysKeepAwkwardTextsAndNulls) {
  const auto connection = connect();
  const PgStatement statement{
      "arrays",
      "SELECT t, n, b FROM unnest($1::text[], $2::float8[], $3::boolean[]) AS a (t, n, b)",
      Repeat::safe};
  const std::vector<std::string> texts = {"", "NULL", "a,b", "{}", "\"q\"", "back\\slash", " x "};
  const std::vector<std::optional<double>> numbers = {1e-300, std::nullopt, -0.0, 1.0 / 3,
                                                      5e-324, 1e22,         3};
  const std::vector<bool> truths = {true, false, true, false, true, false, true};
  PgParams params;
  params.text_array(texts).number_array(numbers).truth_array(truths);
  const auto result = run_on(context, connection->execute(statement, std::move(params)));
  ASSERT_TRUE(result) << result.error().message;
  ASSERT_EQ(result->size(), 7);
  for (int i = 0; i < 7; ++i) {
    const auto at = static_cast<std::size_t>(i);
    EXPECT_EQ(result->row(i).text("t"), texts[at]);
    EXPECT_EQ(result->row(i).optional_number("n"), numbers[at]);
    EXPECT_EQ(result->row(i).truth("b"), truths[at]);
  }
}

TEST_F(PgParamsTest, TextThatNoDatabaseHoldsIsReplaced) {
  const std::string mark = "\xef\xbf\xbd";
  EXPECT_EQ(storable_text("plain \xc3\xa4 \xf0\x9f\x98\x80"), "plain \xc3\xa4 \xf0\x9f\x98\x80");
  EXPECT_EQ(storable_text(std::string("a\0b", 3)), "a" + mark + "b");
  EXPECT_EQ(storable_text("\xff"), mark);
  EXPECT_EQ(storable_text("\xc0\xaf"), mark + mark);             // overlong
  EXPECT_EQ(storable_text("\xed\xa0\x80"), mark + mark + mark);  // surrogate
  EXPECT_EQ(storable_text("\xe2\x82"), mark + mark);             // cut off
  EXPECT_EQ(storable_json_text(Json(std::string("a\0b", 3))), "\"a\\ufffdb\"");
  EXPECT_EQ(storable_json_text(Json("\\u0000")), "\"\\\\u0000\"");
}

TEST_F(PgPoolTest, OpensAtMostItsSizeAndServesInLine) {
  PgPool pool(context.get_executor(), pool_options(2));
  const PgStatement statement{"sleep", "SELECT pg_sleep(0.02)", Repeat::safe};
  int left = 10;
  std::size_t most = 0;
  for (int i = 0; i < 10; ++i) {
    boost::asio::co_spawn(context, pool.execute(statement, PgParams()),
                          [&](std::exception_ptr, PgOutcome<PgResult> result) {
                            EXPECT_TRUE(result);
                            most = std::max(most, pool.use().open);
                            --left;
                          });
  }
  while (left > 0 && context.run_one() > 0) {
  }
  EXPECT_EQ(most, 2U);
  EXPECT_EQ(pool.use().in_use, 0U);
  EXPECT_EQ(pool.use().waiting, 0U);
}

TEST_F(PgPoolTest, WhoWaitsTooLongIsTold) {
  PgPool pool(context.get_executor(), pool_options(1));
  auto held = run_on(context, pool.acquire());
  ASSERT_TRUE(held);
  const auto second = run_on(context, pool.acquire(milliseconds(30)));
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().to_error().code, ErrorCode::unavailable);
  {
    const PgPool::Lease back = *std::move(held);
  }
  EXPECT_TRUE(run_on(context, pool.acquire(milliseconds(1000))));
}

TEST_F(PgPoolTest, BrokenConnectionsAreReplaced) {
  PgPool pool(context.get_executor(), pool_options(2));
  const PgStatement statement{"pid", "SELECT pg_backend_pid() AS pid", Repeat::unsafe};
  const auto first = run_on(context, pool.execute(statement, PgParams()));
  ASSERT_TRUE(first);
  const auto killer = connect();
  // With a time to wait: else the statement could be faster than the signal.
  run(*killer, "SELECT pg_terminate_backend(" + first->first().text("pid") + ", 5000)");
  const auto second = run_on(context, pool.execute(statement, PgParams()));
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_NE(first->first().text("pid"), second->first().text("pid"));
}

TEST_F(PgPoolTest, AConnectionInTheMiddleOfATransactionIsNotReused) {
  PgPool pool(context.get_executor(), pool_options(1));
  {
    auto transaction = run_on(context, PgTransaction::begin(pool));
    ASSERT_TRUE(transaction);
    const PgStatement statement{"lock", "SELECT pg_advisory_xact_lock(42)", Repeat::unsafe};
    ASSERT_TRUE(run_on(context, transaction->execute(statement, PgParams())));
    // Dropped without an end.
  }
  const PgStatement statement{"locks",
                              "SELECT count(*) AS n FROM pg_locks "
                              "WHERE locktype = 'advisory' AND objid = 42",
                              Repeat::safe};
  for (int i = 0; i < 100; ++i) {
    const auto result = run_on(context, pool.execute(statement, PgParams()));
    ASSERT_TRUE(result) << result.error().message;
    if (result->first().integer("n") == 0) {
      return;
    }
  }
  FAIL() << "the transaction is still there";
}

TEST_F(PgPoolTest, AfterCloseEverythingIsUnavailable) {
  PgPool pool(context.get_executor(), pool_options(1));
  pool.close();
  const auto lease = run_on(context, pool.acquire());
  ASSERT_FALSE(lease);
  EXPECT_EQ(lease.error().to_error().code, ErrorCode::unavailable);
}

TEST_F(PgPoolTest, EachKindOfWorkHasConnectionsThatOthersCannotTake) {
  PgPool ordinary(context.get_executor(), pool_options(4));
  PgPool work(ordinary, Lane::work);
  PgPool reading(ordinary, Lane::reading);
  std::vector<PgPool::Lease> held;
  const auto take = [&](PgPool& pool) {
    auto lease = run_on(context, pool.acquire());
    if (lease) {
      held.push_back(*std::move(lease));
    }
    return static_cast<bool>(lease);
  };
  const auto is_refused = [&](PgPool& pool) {
    return !run_on(context, pool.acquire(milliseconds(30)));
  };
  EXPECT_TRUE(take(reading));
  EXPECT_TRUE(take(reading));
  EXPECT_TRUE(is_refused(reading)) << "half of them";
  EXPECT_TRUE(take(ordinary));
  EXPECT_TRUE(is_refused(ordinary)) << "the last one is for work";
  EXPECT_TRUE(take(work));
  EXPECT_TRUE(is_refused(work)) << "there is none left";
  held.clear();
  EXPECT_TRUE(take(work));
  EXPECT_TRUE(take(work));
  EXPECT_TRUE(take(work));
  EXPECT_TRUE(is_refused(work)) << "the last one is for all else";
  EXPECT_TRUE(take(ordinary));
}

TEST_F(PgPoolTest, WhoMayHaveNoMoreDoesNotHoldUpWhoStandsBehind) {
  PgPool ordinary(context.get_executor(), pool_options(4));
  PgPool work(ordinary, Lane::work);
  PgPool reading(ordinary, Lane::reading);
  auto first = run_on(context, reading.acquire());
  auto second = run_on(context, reading.acquire());
  auto third = run_on(context, ordinary.acquire());
  auto fourth = run_on(context, work.acquire());
  std::string order;
  const auto note = [&order](const char* name) {
    return [&order, name](const std::exception_ptr&, const PgOutcome<PgResult>& result) {
      EXPECT_TRUE(result) << result.error().message;
      order += name;
    };
  };
  const PgStatement statement{"one", "SELECT 1 AS n", Repeat::safe};
  boost::asio::co_spawn(context, reading.execute(statement, PgParams()), note("r"));
  boost::asio::co_spawn(context, ordinary.execute(statement, PgParams()), note("o"));
  boost::asio::co_spawn(context, work.execute(statement, PgParams()), note("w"));
  context.restart();
  context.poll();
  EXPECT_EQ(ordinary.use().waiting, 3U);
  {
    const PgPool::Lease back = *std::move(fourth);
  }
  while (order.empty() && context.run_one() > 0) {
  }
  EXPECT_EQ(order, "w");
  EXPECT_EQ(ordinary.use().waiting, 2U) << "what was work's own is kept for it";
  {
    const PgPool::Lease back = *std::move(third);
  }
  while (order.size() < 2 && context.run_one() > 0) {
  }
  EXPECT_EQ(order, "wo");
  {
    const PgPool::Lease back = *std::move(first);
  }
  while (order.size() < 3 && context.run_one() > 0) {
  }
  EXPECT_EQ(order, "wor");
}

TEST_F(PgPoolTest, WhatRunsCanBeCut) {
  PgPool pool(context.get_executor(), pool_options(2));
  const PgStatement statement{"sleep", "SELECT pg_sleep(600)", Repeat::safe};
  std::optional<PgError> error;
  boost::asio::co_spawn(context, pool.execute(statement, PgParams()),
                        [&](const std::exception_ptr&, const PgOutcome<PgResult>& result) {
                          ASSERT_FALSE(result);
                          error = result.error();
                        });
  context.restart();
  while (pool.use().in_use == 0 && context.run_one() > 0) {
  }
  pool.close();
  pool.cut();
  while (!error && context.run_one() > 0) {
  }
  EXPECT_EQ(error->to_error().code, ErrorCode::unavailable);
}

TEST_F(PgPoolTest, AWrongDatabaseIsToldAtOnce) {
  PgPoolOptions options = pool_options(1);
  options.connect.url += " dbname=no_such_database";
  PgPool pool(context.get_executor(), options);
  const auto begun = std::chrono::steady_clock::now();
  const auto lease = run_on(context, pool.acquire());
  ASSERT_FALSE(lease);
  EXPECT_NE(lease.error().message.find("does not exist"), std::string::npos);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(5));
}

Async<int> add(PgTransaction& transaction, int row, int pause_ms) {
  const PgStatement statement{"deadlock", "UPDATE t SET n = n + 1 WHERE id = $1", Repeat::unsafe};
  PgParams first;
  first.integer(row);
  HONE_CO_CHECK(co_await transaction.execute(statement, std::move(first)));
  boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor,
                                  milliseconds(pause_ms));
  co_await timer.async_wait(boost::asio::use_awaitable);
  PgParams second;
  second.integer(1 - row);
  HONE_CO_CHECK(co_await transaction.execute(statement, std::move(second)));
  co_return row;
}

TEST_F(PgTransactionTest, ADeadlockIsRunAgain) {
  const auto connection = connect();
  run(*connection, "CREATE TABLE t (id int PRIMARY KEY, n int); INSERT INTO t VALUES (0,0),(1,0)");
  // Else the server waits a second before it looks for deadlocks.
  run(*connection, "ALTER ROLE hone SET deadlock_timeout = '50ms'");
  PgPool pool(context.get_executor(), pool_options(2));
  const auto forward = [](PgTransaction& transaction) { return add(transaction, 0, 60); };
  const auto backward = [](PgTransaction& transaction) { return add(transaction, 1, 60); };
  int left = 2;
  const auto note = [&](std::exception_ptr, Result<int> result) {
    EXPECT_TRUE(result) << result.error().describe();
    --left;
  };
  boost::asio::co_spawn(context, in_transaction<int>(pool, forward), note);
  boost::asio::co_spawn(context, in_transaction<int>(pool, backward), note);
  while (left > 0 && context.run_one() > 0) {
  }
  const auto sum = run(*connection, "SELECT sum(n) AS n FROM t");
  EXPECT_EQ(sum->first().integer("n"), 4);
  run(*connection, "ALTER ROLE hone RESET deadlock_timeout");
}

TEST_F(PgTransactionTest, AFailedBodyIsRolledBackAndItsConnectionReused) {
  const auto connection = connect();
  run(*connection, "CREATE TABLE t (id int PRIMARY KEY, n int); INSERT INTO t VALUES (0,0)");
  PgPool pool(context.get_executor(), pool_options(1));
  int runs = 0;
  const PgStatement statement{"change", "UPDATE t SET n = 7", Repeat::unsafe};
  const auto change = [&statement](PgTransaction& transaction) -> Async<int> {
    const PgOutcome<PgResult> changed = co_await transaction.execute(statement, PgParams());
    EXPECT_TRUE(changed);
    co_return fail(ErrorCode::conflict, "no");
  };
  const auto body = [&](PgTransaction& transaction) {
    ++runs;
    return change(transaction);
  };
  const Result<int> result = run_on(context, in_transaction<int>(pool, body));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::conflict);
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(run(*connection, "SELECT n FROM t")->first().integer("n"), 0);
  EXPECT_EQ(pool.use().open, 1U);
}

}  // namespace
}  // namespace hone::test
