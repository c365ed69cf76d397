// Comparisons of the baseline with itself: when they are due, and what follows from bad ones.

#include "common/base/sha256.h"
#include "tests/unit/server/store/store_test.h"

namespace hone::test {
namespace {

class SelfCheckStore : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    add_target();
    add_worker();
    submit(6);
  }

  // A job of the worker's, done with a check of that verdict.
  void measure(Verdict verdict, const std::string& worker = "w1", double baseline_value = 0.5) {
    const std::optional<Lease> lease = claim(worker);
    ASSERT_TRUE(lease.has_value());
    AttemptResult result = example_result();
    result.self_check = SelfCheck{verdict, *result.reward, baseline_value};
    done(store->jobs().complete(lease->attempt, token, result, sha256_hex(lease->attempt)));
  }
  WorkerView worker(const std::string& name = "w1") { return get(store->workers().find(name)); }
  void let_pass(const std::string& time) {
    sql("UPDATE worker_fitness SET checked_at = checked_at - interval '" + time + "'");
  }
};

TEST_F(SelfCheckStore, IsDueFirstAndAgainAfterSixHours) {
  EXPECT_TRUE(worker().checks.empty());
  std::optional<Lease> lease = claim();
  EXPECT_TRUE(lease->self_check);
  measure(Verdict::no_change);
  EXPECT_FALSE(claim()->self_check);
  let_pass("5 hours");
  EXPECT_FALSE(claim()->self_check);
  let_pass("2 hours");
  EXPECT_TRUE(claim()->self_check);
}

TEST_F(SelfCheckStore, IsDueForEachTargetAndWorker) {
  measure(Verdict::no_change);
  add_worker("w2");
  EXPECT_TRUE(claim("w2")->self_check);
  add_target("zstd");
  submit(1, "zstd", 9);
  EXPECT_TRUE(claim("w1")->self_check);
}

TEST_F(SelfCheckStore, TwoFalseCallsInARowTakeAWorkerOutOfRotationForAnHour) {
  measure(Verdict::faster);
  EXPECT_TRUE(worker().checks.at(0).unfit_reason.empty());
  EXPECT_EQ(worker().checks.at(0).check.verdict, Verdict::faster);
  measure(Verdict::slower, "w1", 0.6);
  const WorkerCheck last = worker().checks.at(0);
  EXPECT_NE(last.unfit_reason, "");
  EXPECT_EQ(last.target, "lz4");
  EXPECT_NEAR(*last.drift, 0.182, 0.001);
  EXPECT_FALSE(claim().has_value());
  // Other targets, other workers.
  add_worker("w2");
  EXPECT_TRUE(claim("w2").has_value());
  add_target("zstd");
  submit(1, "zstd");
  EXPECT_EQ(claim()->target.name, "zstd");
  // Back on probation: with a check, and by a good one for good.
  let_pass("61 minutes");
  measure(Verdict::no_change);
  EXPECT_EQ(worker().checks.at(0).unfit_reason, "");
  EXPECT_FALSE(claim()->self_check);
}

TEST_F(SelfCheckStore, ABenchmarkThatIsNoisyEverywhereTakesNobodyOut) {
  measure(Verdict::too_noisy);
  measure(Verdict::too_noisy);
  EXPECT_TRUE(claim().has_value());
}

TEST_F(SelfCheckStore, ANoisyWorkerIsOutWhereAnotherIsFit) {
  add_worker("w2");
  measure(Verdict::no_change, "w2");
  measure(Verdict::too_noisy);
  measure(Verdict::too_noisy);
  EXPECT_FALSE(claim().has_value());
  EXPECT_TRUE(claim("w2").has_value());
}

TEST_F(SelfCheckStore, AResultCountsOnceWithItsCheck) {
  const std::optional<Lease> lease = claim();
  AttemptResult result = example_result();
  result.self_check = SelfCheck{Verdict::no_change, *result.reward, 0.5};
  for (int i = 0; i < 2; ++i) {
    done(store->jobs().complete(lease->attempt, token, result, sha256_hex("body")));
  }
  EXPECT_EQ(sql("SELECT count(*) FROM self_checks"), "1");
}

}  // namespace
}  // namespace hone::test
