// The schema: values spelled as on the wire, comments, migrations that refuse what they must.

#include <set>

#include "server/store/pg/migrator.h"
#include "tests/unit/server/store/store_test.h"

namespace hone::test {
namespace {

class SchemaTest : public StoreTest {
 protected:
  // The labels of an SQL enumeration are exactly the spellings of the C++ one.
  template <class Enum>
  void expect_same(const std::string& type, std::optional<Enum> (*parse)(std::string_view),
                   std::size_t count) {
    std::set<Enum> known;
    const std::string all = sql(
        "SELECT string_agg(label::text, ',') FROM unnest(enum_range(NULL::" + type + ")) AS label");
    std::size_t start = 0;
    while (start <= all.size()) {
      const std::size_t end = std::min(all.find(',', start), all.size());
      const std::string label = all.substr(start, end - start);
      const std::optional<Enum> value = parse(label);
      EXPECT_TRUE(value) << type << " " << label;
      if (value) {
        EXPECT_EQ(to_string(*value), label);
        known.insert(*value);
      }
      start = end + 1;
    }
    EXPECT_EQ(known.size(), count) << type;
  }
};

TEST_F(SchemaTest, SpellsValuesAsOnTheWire) {
  expect_same("outcome", parse_outcome, 13);
  expect_same("verdict", parse_verdict, 6);
  expect_same("stage", parse_stage, 2);
  expect_same("baseline_kind", parse_baseline_kind, 3);
  expect_same("experience_source", parse_experience_source, 3);
  expect_same("job_state", parse_job_state, 5);
  expect_same("attempt_state", parse_attempt_state, 5);
  expect_same("campaign_state", parse_campaign_state, 6);
  expect_same("token_role", parse_role, 5);
  expect_same("target_right", parse_target_right, 4);
  expect_same("metric", parse_metric, 11);
  expect_same("sample_role", parse_sample_role, 2);
  expect_same("step_kind", parse_step_kind, 5);
  expect_same("step_outcome", parse_step_outcome, 5);
  expect_same("episode_start", parse_episode_start, 3);
}

TEST_F(SchemaTest, EveryTableSaysWhatItIs) {
  EXPECT_EQ(sql("SELECT coalesce(string_agg(relname, ' '), '') FROM pg_class "
                "WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace "
                "AND obj_description(oid) IS NULL"),
            "");
}

TEST_F(SchemaTest, EveryConstraintThatChecksHasAName) {
  // PostgreSQL's own names end in _check.
  EXPECT_EQ(sql("SELECT coalesce(string_agg(conname, ' '), '') FROM pg_constraint "
                "WHERE contype = 'c' AND connamespace = 'public'::regnamespace "
                "AND conname LIKE '%\\_check'"),
            "");
}

TEST_F(SchemaTest, EveryForeignKeyHasAnIndexOrASmallTable) {
  // Deletions and joins go along these; tables that are never deleted from and joined by key are
  // listed.
  const std::string missing = sql(R"sql(
    SELECT coalesce(string_agg(c.conname, ' ' ORDER BY c.conname), '')
    FROM pg_constraint c
    WHERE c.contype = 'f' AND c.connamespace = 'public'::regnamespace
      AND c.confrelid IN ('jobs'::regclass, 'campaigns'::regclass, 'results'::regclass)
      AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.conrelid
                      AND i.indkey[0] = c.conkey[1]))sql");
  EXPECT_EQ(missing, "");
}

TEST_F(SchemaTest, TheDatabaseItselfRefusesASecondResult) {
  add_target();
  add_worker();
  submit(1);
  const std::optional<Lease> lease = claim();
  EXPECT_THROW(sql("INSERT INTO attempts (job, lane, ordinal, worker, token, seed, expires_at) "
                   "SELECT job, lane, 2, worker, token, 1, now() FROM attempts"),
               std::runtime_error);
  EXPECT_THROW(sql("UPDATE jobs SET state = 'done'"), std::runtime_error);
  EXPECT_THROW(sql("UPDATE jobs SET state = 'dead', finished_at = now()"), std::runtime_error);
  EXPECT_THROW(sql("UPDATE attempts SET state = 'completed', ended_at = now()"),
               std::runtime_error);
}

class MigratorTest : public ::testing::Test {
 protected:
  void SetUp() override {
    PgConnectOptions options;
    options.url = new_database();
    options.statement_timeout = std::chrono::milliseconds(0);
    auto made = run_on(context, PgConnection::connect(context.get_executor(), options));
    ASSERT_TRUE(made) << made.error().message;
    connection = *std::move(made);
    url = options.url;
  }
  Result<int> run(const std::vector<Migration>& list) {
    return run_on(context, migrate(*connection, list));
  }

  boost::asio::io_context context;
  std::string url;
  std::unique_ptr<PgConnection> connection;
};

TEST_F(MigratorTest, AppliesEachOnce) {
  const auto count = static_cast<int>(embedded_migrations().size());
  EXPECT_EQ(*run(embedded_migrations()), count);
  EXPECT_EQ(*run(embedded_migrations()), 0);
}

TEST_F(MigratorTest, SaysBeforehandWhatADatabaseLacks) {
  const auto admin = [&](const std::string& text) {
    const auto ran = run_on(context, connection->run(text));
    ASSERT_TRUE(ran) << ran.error().message;
  };
  const auto connect = [&](const std::string& to) {
    PgConnectOptions options;
    options.url = to;
    return *run_on(context, PgConnection::connect(context.get_executor(), options));
  };
  const auto told = [&](const std::string& to, ErrorCode code, const std::string& words) {
    const std::unique_ptr<PgConnection> other = connect(to);
    const Result<int> refused = run_on(context, migrate(*other, embedded_migrations()));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, code);
    EXPECT_NE(refused.error().message.find(words), std::string::npos) << refused.error().message;
    const auto made =
        run_on(context, other->run("SELECT to_regclass('schema_migrations') IS NULL AS none"));
    EXPECT_TRUE(made && made->first().truth("none"));
  };
  admin("CREATE DATABASE latin1 ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0");
  told(shared_cluster().database_url() + " dbname=latin1", ErrorCode::unsupported,
       "has the encoding LATIN1: Hone needs UTF8");
  // PostgreSQL 15 lets nobody but its owner make tables in "public".
  admin("CREATE ROLE lodger NOLOGIN");
  told(url + " options='-c role=lodger'", ErrorCode::permission_denied,
       "GRANT CREATE ON SCHEMA \"public\" TO \"lodger\"");
  told(url + " options='-c search_path=nowhere'", ErrorCode::permission_denied, "search_path");
}

TEST_F(MigratorTest, GoesOnFromWhereADatabaseIs) {
  const std::vector<Migration> first = {{"0001_a.sql", "CREATE TABLE a (x int)"}};
  std::vector<Migration> both = first;
  both.push_back({"0002_b.sql", "CREATE TABLE b (x int); INSERT INTO a VALUES (1)"});
  EXPECT_EQ(*run(first), 1);
  EXPECT_EQ(*run(both), 1);
}

TEST_F(MigratorTest, RefusesAChangedOne) {
  ASSERT_TRUE(run({{"0001_a.sql", "CREATE TABLE a (x int)"}}));
  const Result<int> again = run({{"0001_a.sql", "CREATE TABLE a (x bigint)"}});
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::unsupported);
  EXPECT_NE(again.error().message.find("0001_a.sql"), std::string::npos);
}

TEST_F(MigratorTest, RefusesADatabaseOfANewerHone) {
  ASSERT_TRUE(run({{"0001_a.sql", "CREATE TABLE a (x int)"}, {"0002_b.sql", "SELECT 1"}}));
  const Result<int> again = run({{"0001_a.sql", "CREATE TABLE a (x int)"}});
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::unsupported);
  const std::string& message = again.error().message;
  for (const char* told : {"newer", "0002_b.sql", "up to 0001_a.sql", "that version or a later one",
                           "restore a backup"}) {
    EXPECT_NE(message.find(told), std::string::npos) << told << ": " << message;
  }
}

TEST_F(MigratorTest, AFailingOneLeavesNothingBehind) {
  const Result<int> failed = run({{"0001_a.sql", "CREATE TABLE a (x int); SELECT nonsense"}});
  ASSERT_FALSE(failed);
  EXPECT_NE(failed.error().message.find("0001_a.sql"), std::string::npos);
  EXPECT_EQ(*run({{"0001_a.sql", "CREATE TABLE a (x int)"}}), 1);
}

TEST_F(MigratorTest, LetsATablesUsersPassAndTriesAgain) {
  ASSERT_TRUE(run({{"0001_a.sql", "CREATE TABLE a (x int)"}}));
  PgConnectOptions options;
  options.url = url;
  auto user = *run_on(context, PgConnection::connect(context.get_executor(), options));
  ASSERT_TRUE(run_on(context, user->run("BEGIN; SELECT * FROM a")));
  // The first try fails after 2 s; the user then goes on, and is not kept waiting.
  std::optional<Result<int>> migrated;
  const std::vector<Migration> both = {{"0001_a.sql", "CREATE TABLE a (x int)"},
                                       {"0002_b.sql", "ALTER TABLE a ADD COLUMN y int"}};
  boost::asio::co_spawn(
      context, migrate(*connection, both),
      [&](std::exception_ptr, Result<int> count) { migrated.emplace(std::move(count)); });
  auto watcher = *run_on(context, PgConnection::connect(context.get_executor(), options));
  const auto waits = [&] {
    const auto found = run_on(context, watcher->run("SELECT count(*) AS n FROM pg_locks "
                                                    "WHERE NOT granted AND locktype = 'relation'"));
    return found->first().integer("n") > 0;
  };
  while (!waits() && !migrated) {
  }
  while (waits() && !migrated) {
  }
  EXPECT_FALSE(migrated) << "it should try again";
  ASSERT_TRUE(run_on(context, user->run("SELECT * FROM a; COMMIT")));
  context.restart();
  while (!migrated && context.run_one() > 0) {
  }
  ASSERT_TRUE(migrated.has_value());
  ASSERT_TRUE(migrated->has_value()) << migrated->error().describe();
  EXPECT_EQ(**migrated, 1);
}

TEST_F(MigratorTest, TwoCoordinatorsMayStartTogether) {
  int left = 4;
  std::vector<std::unique_ptr<Store>> stores;
  for (int i = 0; i < 4; ++i) {
    StoreOptions options;
    options.database_url = url;
    boost::asio::co_spawn(context, Store::open(context.get_executor(), options),
                          [&](std::exception_ptr, Result<std::unique_ptr<Store>> store) {
                            EXPECT_TRUE(store) << store.error().describe();
                            stores.push_back(*std::move(store));
                            --left;
                          });
  }
  context.restart();
  while (left > 0 && context.run_one() > 0) {
  }
  EXPECT_EQ(stores.size(), 4U);
  stores.clear();
  context.restart();
  context.poll();
}

}  // namespace
}  // namespace hone::test
