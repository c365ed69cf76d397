// PrivateCluster's watch over its postmaster: started again when it is killed, given up in the end.
#include <chrono>
#include <csignal>
#include <optional>

#include <boost/asio/co_spawn.hpp>

#include "server/store/pg/pg_pool.h"
#include "tests/unit/server/store/private_cluster_test.h"

namespace hone::test {
namespace {

using std::chrono::seconds;

TEST_F(PrivateClusterTest, AKilledPostmasterIsStartedAgainAndLosesNothing) {
  const auto cluster = start_copy();
  sql(*cluster, "CREATE TABLE t AS SELECT 42 AS x");
  const pid_t first = cluster->postmaster();
  std::optional<Result<void>> watched;
  boost::asio::co_spawn(context, cluster->supervise(),
                        [&](std::exception_ptr, Result<void> end) { watched = std::move(end); });
  PgPoolOptions pool_options;
  pool_options.connect.url = cluster->database_url();
  pool_options.size = 2;
  PgPool pool(context.get_executor(), pool_options);
  const PgStatement statement{"t", "SELECT x FROM t", Repeat::safe};
  ASSERT_TRUE(run_on(context, pool.execute(statement, PgParams())));
  ::kill(first, SIGKILL);
  // The first ones may still meet an old backend, which lives a moment longer than its postmaster.
  // Then the pool waits for the server that recovers.
  const auto deadline = std::chrono::steady_clock::now() + seconds(60);
  bool again = false;
  while (!again && std::chrono::steady_clock::now() < deadline) {
    again = cluster->postmaster() != first && cluster->postmaster() != 0;
    const auto result = run_on(context, pool.execute(statement, PgParams()));
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->first().integer("x"), 42);
  }
  EXPECT_TRUE(again);
  EXPECT_TRUE(is_alive(cluster->postmaster()));
  EXPECT_TRUE(run_on(context, cluster->stop()));
  context.restart();
  while (!watched && context.run_one() > 0) {
  }
  EXPECT_TRUE(*watched);
  EXPECT_EQ(processes_in(options().folder), 0);
}

TEST_F(PrivateClusterTest, OneThatKeepsEndingIsGivenUp) {
  start_copy().reset();
  ClusterOptions few = options();
  few.restarts = 1;
  auto started = run_on(context, PrivateCluster::start(few));
  ASSERT_TRUE(started) << started.error().describe();
  std::optional<Result<void>> watched;
  boost::asio::co_spawn(context, (*started)->supervise(),
                        [&](std::exception_ptr, Result<void> end) { watched = std::move(end); });
  context.restart();
  pid_t killed = 0;
  while (!watched && context.run_one() > 0) {
    const pid_t now = (*started)->postmaster();
    if (now > 0 && now != killed) {
      ::kill(now, SIGKILL);
      killed = now;
    }
  }
  ASSERT_TRUE(watched);
  ASSERT_FALSE(*watched);
  EXPECT_EQ(watched->error().code, ErrorCode::unavailable);
}

}  // namespace
}  // namespace hone::test
