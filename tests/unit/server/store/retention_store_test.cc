#include "server/store/retention_store.h"

#include "tests/unit/server/store/store_test.h"

namespace hone::test {
namespace {

class RetentionStoreTest : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    add_target();
    add_worker();
  }

  // A whole pass, as server/jobs/retention makes it.
  std::int64_t remove(Retained what, std::int64_t days) {
    std::int64_t removed = 0;
    RetentionStep step;
    step.more = true;
    while (step.more) {
      step = get(store->retention().remove_some(what, days, step.cursor));
      removed += step.removed;
    }
    return removed;
  }

  // Leases and completes whatever is queued.
  void complete_all() {
    while (const std::optional<Lease> lease = claim()) {
      done(store->jobs().complete(lease->attempt, token, example_result(), std::string(64, 'a')));
    }
  }
  void publish_policy() {
    NewPolicy policy;
    policy.target = "lz4";
    policy.document = R"({"rules": []})";
    policy.created_by = token;
    get(store->policies().publish(std::move(policy)));
  }
  void age(const std::string& days) {
    sql("UPDATE results SET created_at = created_at - interval '" + days + " days'");
  }
  std::int64_t count(const std::string& table) {
    return std::stoll(sql("SELECT count(*) FROM " + table));
  }
};

TEST_F(RetentionStoreTest, SamplesGoAndResultsStay) {
  submit(3);
  complete_all();
  age("10");
  submit(1);
  complete_all();
  const std::int64_t samples = count("measurements");
  ASSERT_GT(samples, 0);
  EXPECT_EQ(remove(Retained::samples, 5), samples / 4 * 3);
  EXPECT_EQ(count("measurements"), samples / 4);
  EXPECT_EQ(count("results"), 4);
  EXPECT_EQ(count("results WHERE reward IS NOT NULL"), 4);
  EXPECT_EQ(count("experiences"), 4);
  EXPECT_EQ(remove(Retained::samples, 5), 0) << "what was looked at is not looked at again";
}

TEST_F(RetentionStoreTest, LogsOfJobsGoByThemselves) {
  submit(2);
  complete_all();
  sql("UPDATE results SET log = 'so it was'");
  age("10");
  EXPECT_EQ(remove(Retained::job_logs, 5), 2);
  EXPECT_EQ(count("results WHERE log <> ''"), 0);
  EXPECT_GT(count("measurements"), 0);
}

TEST_F(RetentionStoreTest, WhatAPolicyComesFromStays) {
  const std::string campaign = race(2);
  complete_all();
  submit(1);
  complete_all();
  age("10");
  const std::int64_t samples = count("measurements");
  // Under way: it may publish one yet.
  EXPECT_EQ(remove(Retained::samples, 5), samples / 3);
  sql("UPDATE campaigns SET state = 'cancelled', reason = 'x', finished_at = now()");
  publish_policy();
  sql("UPDATE policies SET campaign = (SELECT number FROM campaigns), candidate = "
      "(SELECT min(number) FROM candidates)");
  sql("DELETE FROM retention_progress");
  EXPECT_EQ(remove(Retained::samples, 5), 0);
  sql("UPDATE policies SET campaign = NULL, candidate = NULL");
  sql("DELETE FROM retention_progress");
  EXPECT_EQ(remove(Retained::samples, 5), samples / 3 * 2);
}

TEST_F(RetentionStoreTest, WhatAnUnfinishedCampaignTookOverStays) {
  race(1);
  complete_all();
  sql("UPDATE campaigns SET state = 'cancelled', reason = 'x', finished_at = now()");
  const std::string measured = sql("SELECT id FROM attempts");
  race(1);
  const std::optional<Lease> lease = claim();
  ASSERT_TRUE(lease);
  AttemptResult reusing = example_result();
  reusing.samples.clear();
  reusing.reused_attempt = measured;
  done(store->jobs().complete(lease->attempt, token, reusing, std::string(64, 'b')));
  age("10");
  const std::int64_t samples = count("measurements");
  ASSERT_GT(samples, 0);
  EXPECT_EQ(remove(Retained::samples, 5), 0) << "it may publish a policy yet";
  EXPECT_EQ(remove(Retained::job_logs, 5), 0);
  sql("UPDATE campaigns SET state = 'cancelled', reason = 'x', finished_at = now()");
  sql("DELETE FROM retention_progress");
  EXPECT_EQ(remove(Retained::samples, 5), samples);
}

TEST_F(RetentionStoreTest, WhatIsBeingTakenOverStays) {
  submit(1);
  complete_all();
  race(1);
  complete_all();
  age("10");
  // The campaign's result is only now counted.
  const std::unique_ptr<PgConnection> completion = begin_other(
      "SELECT pg_advisory_xact_lock_shared(1919251827); UPDATE results SET reused_attempt = "
      "(SELECT min(attempt) FROM results) WHERE attempt = (SELECT max(attempt) FROM results)");
  const Result<RetentionStep> step =
      overlapping(*completion, store->retention().remove_some(Retained::samples, 5, 0));
  ASSERT_TRUE(step) << step.error().describe();
  EXPECT_EQ(step->removed, 0);
}

TEST_F(RetentionStoreTest, ResultsOfOneTransactionAreAllLookedAt) {
  submit(1);
  complete_all();
  const std::string samples = sql("SELECT count(*) FROM measurements");
  // More than a batch with one and the same time: a place by time alone would stand still, or skip.
  submit(110);
  complete_all();
  sql("UPDATE results SET created_at = now() - interval '10 days'");
  EXPECT_EQ(remove(Retained::samples, 5), 111 * std::stoll(samples));
}

TEST_F(RetentionStoreTest, EventsGoInBatches) {
  submit(5);
  sql("INSERT INTO events (kind, job, state, reason) SELECT 'job', min(j.number), 'queued', '' "
      "FROM jobs j, generate_series(1, 4500) GROUP BY generate_series");
  sql("UPDATE events SET at = now() - interval '8 days'");
  submit(1);
  EXPECT_EQ(remove(Retained::events, 7), 4505);
  EXPECT_EQ(count("events"), 1);
}

TEST_F(RetentionStoreTest, OnlyStatesThatNothingRefersToGo) {
  submit(1);
  complete_all();
  const std::int64_t used = count("states");
  ASSERT_GT(used, 0);
  sql("INSERT INTO states (state_id) SELECT encode(sha256(i::text::bytea), 'hex') "
      "FROM generate_series(1, 3000) AS i");
  sql("UPDATE states SET created_at = now() - interval '40 days'");
  sql("INSERT INTO states (state_id) VALUES (repeat('f', 64))");
  EXPECT_EQ(remove(Retained::states, 30), 3000);
  EXPECT_EQ(count("states"), used + 1);
}

// Ten million states of the last days must not be read to find that none of them is old.
TEST_F(RetentionStoreTest, YoungStatesBehindTheOldOnesAreNotReadThrough) {
  sql("INSERT INTO states (state_id, created_at) SELECT encode(sha256(i::text::bytea), 'hex'), "
      "now() - CASE WHEN i <= 100 THEN interval '40 days' ELSE interval '1 day' END "
      "FROM generate_series(1, 9000) AS i");
  RetentionStep step = get(store->retention().remove_some(Retained::states, 30, 0));
  EXPECT_EQ(step.removed, 100);
  EXPECT_EQ(sql("SELECT count(*) FROM states WHERE number <= " + std::to_string(step.cursor)),
            "1900")
      << "as far as the batch, and no further";
  ASSERT_TRUE(step.more) << "there were old ones in it";
  step = get(store->retention().remove_some(Retained::states, 30, step.cursor));
  EXPECT_EQ(step.removed, 0);
  EXPECT_FALSE(step.more);
  EXPECT_EQ(count("states"), 8900);
}

TEST_F(RetentionStoreTest, EpisodesGoUnlessTheirSessionIsStillUsed) {
  // One that ended, one whose honed was killed, one that goes on, one without a step.
  sql("INSERT INTO episodes (id, session, program, start, machine, compiler, begun_at) "
      "SELECT ordered_uuid(), ordered_uuid(), repeat('a', 64), 'open', '{}', i::text, "
      "now() - interval '10 days' FROM generate_series(1, 4) AS i");
  for (const auto& [episode, step, days] : {std::tuple("1", "0", "10"),
                                            {"1", "1", "9"},
                                            {"2", "0", "10"},
                                            {"3", "0", "10"},
                                            {"3", "1", "1"}}) {
    sql(std::string("INSERT INTO steps (episode, step, kind, outcome, reason, rewards, length, at) "
                    "SELECT number, ") +
        step + ", 'observe', 'ok', '', '{}', 0, now() - interval '" + days +
        " days' FROM episodes WHERE compiler = '" + episode + "'");
  }
  EXPECT_EQ(remove(Retained::episodes, 5), 3);
  EXPECT_EQ(sql("SELECT string_agg(compiler, ',') FROM episodes"), "3");
  EXPECT_EQ(count("steps"), 2);
  EXPECT_EQ(remove(Retained::episodes, 5), 0);
}

TEST_F(RetentionStoreTest, AStateThatIsBeingReferredToStays) {
  sql("INSERT INTO states (state_id, created_at) VALUES (repeat('a', 64), now() - interval '40 "
      "days')");
  PgConnectOptions options;
  options.url = url;
  PgOutcome<std::unique_ptr<PgConnection>> other =
      run_on(context, PgConnection::connect(context.get_executor(), options));
  ASSERT_TRUE(other);
  // As the session log does before it writes its steps.
  ASSERT_TRUE(
      run_on(context, (*other)->run("BEGIN; INSERT INTO states (state_id) VALUES (repeat('a', 64)) "
                                    "ON CONFLICT (state_id) DO UPDATE SET features = "
                                    "EXCLUDED.features WHERE EXCLUDED.features IS NOT NULL")));
  EXPECT_EQ(remove(Retained::states, 30), 0);
  ASSERT_TRUE(run_on(context, (*other)->run("ROLLBACK")));
  EXPECT_EQ(remove(Retained::states, 30), 1);
}

TEST_F(RetentionStoreTest, OldRowsOfTheAuditLogGoAndNobodyElseMayRemoveThem) {
  const std::int64_t before = count("audit_log");
  sql("INSERT INTO audit_log (action, kind, object, at) "
      "SELECT 'job.submit', 'job', 'x', now() - interval '400 days' FROM generate_series(1, 2500)");
  sql("INSERT INTO audit_log (action, kind, object) VALUES ('job.submit', 'job', 'x')");
  EXPECT_THROW(sql("DELETE FROM audit_log"), std::runtime_error);
  // The oldest are the lowest numbers, as in life.
  if (before == 0) {
    EXPECT_EQ(remove(Retained::audit, 365), 2500);
    EXPECT_EQ(count("audit_log"), 1);
  }
  EXPECT_THROW(sql("DELETE FROM audit_log"), std::runtime_error);
}

TEST_F(RetentionStoreTest, WindowsOfCanariesThatEndedLongAgoGo) {
  publish_policy();
  // One that was let go of, one whose traffic is still being set, one that ended of late.
  for (const auto& [days, follows] : {std::pair("10", "true"), {"10", "false"}, {"1", "true"}}) {
    sql(std::string("INSERT INTO canaries (target, policy_version, spec, service, state, follows, "
                    "ended_at) "
                    "SELECT target, version, '{}', '{}', 'aborted', ") +
        follows + ", now() - interval '" + days + " days' FROM policies");
  }
  sql("INSERT INTO canary_windows SELECT c.number, i, 0, 60, 5, '{}', '{}' "
      "FROM canaries c, generate_series(1, 2500) AS i");
  const std::string gone = sql("SELECT min(number) FROM canaries");
  EXPECT_EQ(remove(Retained::canary_windows, 5), 0) << "its reward is still to be made of them";
  sql("INSERT INTO experiences (source, canary, line) "
      "SELECT 'production', number, '{\"source\":\"production\"}' FROM canaries WHERE number = " +
      gone);
  EXPECT_EQ(remove(Retained::canary_windows, 5), 2500);
  EXPECT_EQ(count("canary_windows WHERE canary = " + gone), 0);
  EXPECT_EQ(count("canary_windows"), 5000);
  EXPECT_EQ(count("canaries"), 3);
}

TEST_F(RetentionStoreTest, GaugesTellOfTheStore) {
  submit(3, "lz4", 5);
  submit(2);
  claim();
  const OperationGauges gauges = get(store->operations().gauges());
  EXPECT_EQ(gauges.queued_by_priority, (std::map<std::int64_t, std::int64_t>{{0, 2}, {5, 2}}));
  EXPECT_EQ(gauges.leases, 1);
  EXPECT_EQ(gauges.workers_live, 1);
  EXPECT_EQ(gauges.campaigns.at("racing"), 0);
  EXPECT_GE(gauges.oldest_queued_seconds, 0);
  EXPECT_GT(gauges.database_bytes, 0);
  sql("UPDATE workers SET last_seen_at = now() - interval '1 hour'");
  EXPECT_EQ(get(store->operations().gauges()).workers_live, 1) << "it holds a lease";
  sql("UPDATE attempts SET expires_at = now() - interval '1 second'");
  sql("UPDATE jobs SET created_at = now() - interval '1 hour' WHERE state = 'queued'");
  const OperationGauges later = get(store->operations().gauges());
  EXPECT_EQ(later.workers_live, 0);
  EXPECT_EQ(later.workers_silent, 1);
  EXPECT_GE(later.oldest_queued_seconds, 3600);
  EXPECT_EQ(later.workers_left, 0);
}

TEST_F(RetentionStoreTest, AWorkerThatSaidGoodByeIsNotMissed) {
  const std::string name = get(store->workers().list()).front().name;
  EXPECT_FALSE(get(store->workers().leave(name, "")).empty());
  sql("UPDATE workers SET left_at = left_at - interval '1 hour', "
      "last_seen_at = last_seen_at - interval '1 hour'");
  OperationGauges gauges = get(store->operations().gauges());
  EXPECT_EQ(gauges.workers_left, 1);
  EXPECT_EQ(gauges.workers_silent, 0);
  WorkerView worker = get(store->workers().find(name));
  EXPECT_FALSE(worker.left_at.empty());
  EXPECT_FALSE(worker.silent);
  // Seen again, by whatever release of honed: it is there.
  sql("UPDATE workers SET last_seen_at = now()");
  gauges = get(store->operations().gauges());
  EXPECT_EQ(gauges.workers_live, 1);
  EXPECT_EQ(gauges.workers_left, 0);
  worker = get(store->workers().find(name));
  EXPECT_TRUE(worker.left_at.empty());
  // And is missed if it dies then.
  sql("UPDATE workers SET last_seen_at = now() - interval '1 hour', "
      "left_at = now() - interval '2 hours'");
  EXPECT_EQ(get(store->operations().gauges()).workers_silent, 1);
  EXPECT_TRUE(get(store->workers().find(name)).silent);
}

}  // namespace
}  // namespace hone::test
