// JobStore: a result is kept whole, and counted once.

#include "common/base/sha256.h"
#include "tests/unit/server/store/store_test.h"

namespace hone::test {
namespace {

class JobStoreCompletion : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    add_target();
    add_worker();
    id = submit(1).at(0);
    lease = *claim();
  }
  Async<void> complete(const AttemptResult& result, const std::string& body = "body") {
    return store->jobs().complete(lease.attempt, token, result, sha256_hex(body));
  }

  std::string id;
  Lease lease;
};

TEST_F(JobStoreCompletion, KeepsEveryField) {
  const AttemptResult result = example_result();
  done(complete(result));
  const JobView view = get(store->jobs().find(id, SampleDetail::include));
  EXPECT_EQ(view.state, JobState::done);
  EXPECT_EQ(view.outcome, Outcome::ok);
  EXPECT_EQ(view.verdict, Verdict::faster);
  EXPECT_EQ(view.reward, result.reward);
  EXPECT_EQ(view.attempts.at(0).state, AttemptState::completed);
  ASSERT_TRUE(view.result);
  EXPECT_EQ(*view.result, result);
}

TEST_F(JobStoreCompletion, KeepsAnExactResultAndWhatItIsOf) {
  for (const Metric metric :
       {Metric::instructions, Metric::text_bytes, Metric::binary_bytes,
        Metric::hardware_instructions, Metric::cycles, Metric::energy, Metric::compile_time}) {
    TargetSpec spec = example_target("sized");
    spec.benchmark.metric.metric = metric;
    get(store->targets().put(spec, token));
    id = submit(1, "sized").at(0);
    EXPECT_EQ(get(store->jobs().find(id, SampleDetail::leave_out)).metric, metric);
    lease = *claim();
    AttemptResult result = example_result();
    result.reward->low = result.reward->high = result.reward->value;
    result.reward->noise = result.reward->detectable_effect = 0;
    result.reward->pairs = 1;
    for (Sample& sample : result.samples) {
      sample.metric = metric;
    }
    done(complete(result));
    const JobView view = get(store->jobs().find(id, SampleDetail::include));
    EXPECT_EQ(view.metric, metric);
    ASSERT_TRUE(view.result);
    EXPECT_EQ(*view.result, result);
  }
}

TEST_F(JobStoreCompletion, LeavesSamplesOutUnlessAskedFor) {
  AttemptResult result = example_result();
  done(complete(result));
  const JobView view = get(store->jobs().find(id, SampleDetail::leave_out));
  result.samples.clear();
  EXPECT_EQ(*view.result, result);
}

TEST_F(JobStoreCompletion, KeepsAFailureWithItsReason) {
  const AttemptResult result = failed_result(Outcome::miscompiled, "output differs: line 3");
  done(complete(result));
  const JobView view = get(store->jobs().find(id, SampleDetail::include));
  EXPECT_EQ(view.outcome, Outcome::miscompiled);
  EXPECT_EQ(view.reason, "output differs: line 3");
  EXPECT_FALSE(view.reward);
  EXPECT_EQ(*view.result, result);
}

TEST_F(JobStoreCompletion, TheSameBodyAgainChangesNothing) {
  done(complete(example_result()));
  done(complete(example_result()));
  EXPECT_EQ(sql("SELECT count(*) FROM results"), "1");
  EXPECT_EQ(sql("SELECT count(*) FROM measurements"), "8");
  EXPECT_EQ(sql("SELECT count(*) FROM experiences"), "1");
}

TEST_F(JobStoreCompletion, AnotherBodyIsAConflict) {
  done(complete(example_result()));
  const Error error = error_of(complete(example_result(-0.5), "other"));
  EXPECT_EQ(error.code, ErrorCode::conflict);
  EXPECT_EQ(get(store->jobs().find(id, SampleDetail::leave_out)).reward, example_result().reward);
}

TEST_F(JobStoreCompletion, ManyAtOnceCountOnce) {
  int left = 8;
  int good = 0;
  for (int i = 0; i < 8; ++i) {
    boost::asio::co_spawn(context, complete(example_result(), i % 2 == 0 ? "a" : "b"),
                          [&](std::exception_ptr error, Result<void> result) {
                            EXPECT_FALSE(error);
                            good += result ? 1 : 0;
                            EXPECT_TRUE(result || result.error().code == ErrorCode::conflict);
                            --left;
                          });
  }
  context.restart();
  while (left > 0 && context.run_one() > 0) {
  }
  EXPECT_EQ(good, 4);
  EXPECT_EQ(sql("SELECT count(*) FROM results"), "1");
  EXPECT_EQ(sql("SELECT count(*) FROM measurements"), "8");
}

TEST_F(JobStoreCompletion, CountsOncePerJobWhenAnOldAttemptReports) {
  sql("UPDATE attempts SET expires_at = now() - interval '1 second'");
  expire_leases();
  const Lease second = *claim();
  EXPECT_EQ(error_of(complete(example_result())).code, ErrorCode::expired);
  done(store->jobs().complete(second.attempt, token, example_result(-0.25), sha256_hex("2")));
  EXPECT_EQ(error_of(complete(example_result())).code, ErrorCode::expired);
  const JobView view = get(store->jobs().find(id, SampleDetail::leave_out));
  EXPECT_EQ(view.reward->value, -0.25);
  EXPECT_EQ(sql("SELECT count(*) FROM results"), "1");
}

TEST_F(JobStoreCompletion, ReplacesWhatADatabaseCannotHold) {
  AttemptResult result = example_result();
  result.log = std::string("a\0b\xff", 4) + "\xe2\x82\xac";
  result.machine.kernel = std::string("k\0", 2);
  done(complete(result));
  const JobView view = get(store->jobs().find(id, SampleDetail::leave_out));
  EXPECT_EQ(view.result->log,
            "a\xef\xbf\xbd"
            "b\xef\xbf\xbd\xe2\x82\xac");
  EXPECT_EQ(view.result->machine.kernel, "k\xef\xbf\xbd");
}

TEST_F(JobStoreCompletion, TakesManySamples) {
  AttemptResult result = example_result();
  result.samples.clear();
  for (std::int64_t i = 0; i < 20000; ++i) {
    Sample sample;
    sample.pair = i / 2;
    sample.position = i % 2;
    sample.value = 1.0 / static_cast<double>(i + 3);
    result.samples.push_back(sample);
  }
  done(complete(result));
  EXPECT_EQ(get(store->jobs().find(id, SampleDetail::include)).result->samples, result.samples);
}

TEST_F(JobStoreCompletion, StoresAStateOnce) {
  done(complete(example_result()));
  submit(1);
  const Lease next = *claim();
  done(store->jobs().complete(next.attempt, token, example_result(), sha256_hex("2")));
  EXPECT_EQ(sql("SELECT count(*) FROM states"), "1");
  EXPECT_EQ(sql("SELECT count(*) FROM decisions WHERE state IS NOT NULL"), "2");
}

TEST_F(JobStoreCompletion, ReusesAMeasurementOfTheSameTargetOnly) {
  done(complete(example_result()));
  AttemptResult reusing = example_result();
  reusing.samples.clear();
  reusing.reused_attempt = lease.attempt;
  const std::string same = submit(1).at(0);
  const Lease next = *claim();
  done(store->jobs().complete(next.attempt, token, reusing, sha256_hex("2")));
  EXPECT_EQ(get(store->jobs().find(same, SampleDetail::leave_out)).result->reused_attempt,
            lease.attempt);
  add_target("zlib");
  submit(1, "zlib");
  const Lease foreign = *claim();
  const Error error =
      error_of(store->jobs().complete(foreign.attempt, token, reusing, sha256_hex("3")));
  EXPECT_EQ(error.code, ErrorCode::invalid_argument);
  EXPECT_EQ(error.fields.at(0).pointer, "/reused_attempt");
}

TEST_F(JobStoreCompletion, ReusesNoMeasurementWhoseSamplesAreGone) {
  done(complete(example_result()));
  AttemptResult reusing = example_result();
  reusing.samples.clear();
  reusing.reused_attempt = lease.attempt;
  submit(1);
  const Lease next = *claim();
  // They are being removed just then.
  const std::unique_ptr<PgConnection> retention =
      begin_other("SELECT pg_advisory_xact_lock(1919251827); DELETE FROM measurements");
  const Result<void> late = overlapping(
      *retention, store->jobs().complete(next.attempt, token, reusing, sha256_hex("2")));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(late.error().fields.at(0).pointer, "/reused_attempt");
  EXPECT_EQ(get(store->jobs().find(next.job, SampleDetail::leave_out)).state, JobState::leased);
}

TEST_F(JobStoreCompletion, LosesNothingWhenTheConnectionBreaksInTheMiddle) {
  // The pool's connections die; the completion runs on a new one.
  sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
      "WHERE datname = current_database() AND pid <> pg_backend_pid()");
  done(complete(example_result()));
  EXPECT_EQ(get(store->jobs().find(id, SampleDetail::leave_out)).state, JobState::done);
}

}  // namespace
}  // namespace hone::test
