// JobStore: leases that are kept, handed back, expired or cancelled.

#include "common/base/sha256.h"
#include "tests/unit/server/store/store_test.h"

namespace hone::test {
namespace {

class JobStoreLease : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    add_target();
    add_worker();
  }
  JobView job(const std::string& id) {
    return get(store->jobs().find(id, SampleDetail::leave_out));
  }
  std::string other_token() { return get(store->tokens().create("other", Role::worker)).view.id; }
};

TEST_F(JobStoreLease, AHeartbeatKeepsIt) {
  submit(1);
  const std::optional<Lease> lease = claim("w1", 0);
  const HeartbeatReply reply = get(store->jobs().heartbeat(lease->attempt, token, 60));
  EXPECT_EQ(reply.ttl_seconds, 60);
  EXPECT_FALSE(reply.cancelled);
  EXPECT_TRUE(expire_leases().empty());
}

TEST_F(JobStoreLease, OnlyItsTokenMayUseIt) {
  submit(1);
  const std::optional<Lease> lease = claim();
  const std::string other = other_token();
  EXPECT_EQ(error_of(store->jobs().heartbeat(lease->attempt, other, 60)).code,
            ErrorCode::permission_denied);
  EXPECT_EQ(
      error_of(store->jobs().complete(lease->attempt, other, example_result(), sha256_hex("x")))
          .code,
      ErrorCode::permission_denied);
  EXPECT_EQ(error_of(store->jobs().hand_back(lease->attempt, other, HandBack{"x", true})).code,
            ErrorCode::permission_denied);
  EXPECT_EQ(job(lease->job).state, JobState::leased);
}

TEST_F(JobStoreLease, AnExpiredOneReturnsItsJobToTheQueue) {
  const std::string id = submit(1).at(0);
  const std::optional<Lease> lease = claim("w1", 0);
  const std::vector<EndedLease> ended = expire_leases();
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended[0].attempt, lease->attempt);
  EXPECT_EQ(ended[0].job, id);
  EXPECT_EQ(ended[0].worker, "w1");
  EXPECT_EQ(ended[0].job_state, JobState::queued);
  const JobView view = job(id);
  EXPECT_EQ(view.state, JobState::queued);
  EXPECT_EQ(view.attempts.at(0).state, AttemptState::expired);
  EXPECT_NE(view.attempts.at(0).reason.find("w1"), std::string::npos);
  EXPECT_TRUE(expire_leases().empty());
  // The next lease is the second attempt, with another seed.
  const std::optional<Lease> next = claim();
  EXPECT_EQ(next->job, id);
  EXPECT_EQ(next->attempt_number, 2);
  EXPECT_NE(next->seed, lease->seed);
}

TEST_F(JobStoreLease, AnExpiredOneCanDoNothingMore) {
  const std::string id = submit(1).at(0);
  const std::optional<Lease> lease = claim("w1", 0);
  expire_leases();
  EXPECT_EQ(error_of(store->jobs().heartbeat(lease->attempt, token, 60)).code, ErrorCode::expired);
  EXPECT_EQ(
      error_of(store->jobs().complete(lease->attempt, token, example_result(), sha256_hex("x")))
          .code,
      ErrorCode::expired);
  EXPECT_EQ(error_of(store->jobs().hand_back(lease->attempt, token, HandBack{"x", true})).code,
            ErrorCode::expired);
  EXPECT_EQ(job(id).state, JobState::queued);
  EXPECT_EQ(sql("SELECT count(*) FROM results"), "0");
}

TEST_F(JobStoreLease, RetriesAreBoundedAndTheLastReasonIsKept) {
  const std::string id = submit(1, "lz4", 0, 2).at(0);
  claim("w1", 0);
  EXPECT_EQ(expire_leases().at(0).job_state, JobState::queued);
  claim("w1", 0);
  EXPECT_EQ(expire_leases().at(0).job_state, JobState::dead);
  const JobView view = job(id);
  EXPECT_EQ(view.state, JobState::dead);
  EXPECT_NE(view.reason.find("gave up after 2 attempts"), std::string::npos) << view.reason;
  EXPECT_NE(view.reason.find("no heartbeat"), std::string::npos) << view.reason;
  EXPECT_NE(view.finished_at, "");
  EXPECT_FALSE(claim());
}

TEST_F(JobStoreLease, AResultThatBeatsTheSweepCounts) {
  const std::string id = submit(1).at(0);
  const std::optional<Lease> lease = claim("w1", 0);
  done(store->jobs().complete(lease->attempt, token, example_result(), sha256_hex("x")));
  EXPECT_TRUE(expire_leases().empty());
  EXPECT_EQ(job(id).state, JobState::done);
}

TEST_F(JobStoreLease, AFailedAttemptIsCountedAndACleanHandBackIsNot) {
  const std::string id = submit(1, "lz4", 0, 2).at(0);
  for (int i = 0; i < 3; ++i) {
    const std::optional<Lease> lease = claim();
    const EndedLease ended =
        get(store->jobs().hand_back(lease->attempt, token, HandBack{"Ctrl-C", false}));
    EXPECT_EQ(ended.job_state, JobState::queued);
  }
  std::optional<Lease> lease = claim();
  EXPECT_EQ(
      get(store->jobs().hand_back(lease->attempt, token, HandBack{"disk full", true})).job_state,
      JobState::queued);
  lease = claim();
  EXPECT_EQ(lease->attempt_number, 5);
  EXPECT_EQ(
      get(store->jobs().hand_back(lease->attempt, token, HandBack{"disk full", true})).job_state,
      JobState::dead);
  const JobView view = job(id);
  EXPECT_NE(view.reason.find("disk full"), std::string::npos) << view.reason;
  EXPECT_EQ(view.attempts.size(), 5U);
  EXPECT_EQ(view.attempts[0].state, AttemptState::failed);
  EXPECT_EQ(view.attempts[0].reason, "Ctrl-C");
}

TEST_F(JobStoreLease, HandingBackTwiceIsNoError) {
  submit(1);
  const std::optional<Lease> lease = claim();
  get(store->jobs().hand_back(lease->attempt, token, HandBack{"x", true}));
  const EndedLease again = get(store->jobs().hand_back(lease->attempt, token, HandBack{"x", true}));
  EXPECT_EQ(again.job_state, JobState::queued);
  EXPECT_EQ(sql("SELECT attempts_counted FROM jobs"), "1");
}

TEST_F(JobStoreLease, HandingBackACancelledOneTwiceIsNoError) {
  const std::string id = submit(1).at(0);
  const std::optional<Lease> lease = claim();
  get(store->jobs().cancel(id));
  const HandBack back{"told to stop", false};
  const EndedLease first = get(store->jobs().hand_back(lease->attempt, token, back));
  EXPECT_EQ(first.job_state, JobState::cancelled);
  const EndedLease again = get(store->jobs().hand_back(lease->attempt, token, back));
  EXPECT_EQ(again.job_state, JobState::cancelled);
  EXPECT_EQ(again.reason, first.reason);
}

TEST_F(JobStoreLease, OneThatWasCompletedAsCancelledIsNotHandedBack) {
  const std::string id = submit(1).at(0);
  const std::optional<Lease> lease = claim();
  get(store->jobs().cancel(id));
  done(store->jobs().complete(lease->attempt, token,
                              failed_result(Outcome::cancelled, "asked to stop"), sha256_hex("x")));
  EXPECT_EQ(error_of(store->jobs().hand_back(lease->attempt, token, HandBack{"x", false})).code,
            ErrorCode::expired);
}

TEST_F(JobStoreLease, CancellingAQueuedJobEndsItAtOnce) {
  const std::string id = submit(1).at(0);
  EXPECT_EQ(get(store->jobs().cancel(id)).state, JobState::cancelled);
  EXPECT_FALSE(claim());
  EXPECT_EQ(get(store->jobs().cancel(id)).state, JobState::cancelled);
}

TEST_F(JobStoreLease, CancellingALeasedJobTellsItsWorker) {
  const std::string id = submit(1).at(0);
  const std::optional<Lease> lease = claim();
  EXPECT_EQ(get(store->jobs().cancel(id)).state, JobState::leased);
  EXPECT_TRUE(get(store->jobs().heartbeat(lease->attempt, token, 60)).cancelled);
  const AttemptResult stopped = failed_result(Outcome::cancelled, "asked to stop");
  done(store->jobs().complete(lease->attempt, token, stopped, sha256_hex("x")));
  done(store->jobs().complete(lease->attempt, token, stopped, sha256_hex("x")));
  EXPECT_EQ(error_of(store->jobs().complete(lease->attempt, token, stopped, sha256_hex("y"))).code,
            ErrorCode::conflict);
  const JobView view = job(id);
  EXPECT_EQ(view.state, JobState::cancelled);
  EXPECT_EQ(view.attempts.at(0).state, AttemptState::cancelled);
  EXPECT_FALSE(view.outcome);
  EXPECT_EQ(sql("SELECT count(*) FROM experiences"), "0");
}

TEST_F(JobStoreLease, ACancelledJobWhoseWorkerDiedEndsWithTheLease) {
  const std::string id = submit(1).at(0);
  claim("w1", 0);
  get(store->jobs().cancel(id));
  EXPECT_EQ(expire_leases().at(0).job_state, JobState::cancelled);
  EXPECT_EQ(job(id).state, JobState::cancelled);
}

TEST_F(JobStoreLease, AResultThatWasReadyBeforeTheCancellationCounts) {
  const std::string id = submit(1).at(0);
  const std::optional<Lease> lease = claim();
  get(store->jobs().cancel(id));
  done(store->jobs().complete(lease->attempt, token, example_result(), sha256_hex("x")));
  EXPECT_EQ(job(id).state, JobState::done);
  EXPECT_EQ(error_of(store->jobs().cancel(id)).code, ErrorCode::conflict);
}

TEST_F(JobStoreLease, AWorkerCannotCancelByItself) {
  submit(1);
  const std::optional<Lease> lease = claim();
  const AttemptResult stopped = failed_result(Outcome::cancelled, "no wish to go on");
  EXPECT_EQ(error_of(store->jobs().complete(lease->attempt, token, stopped, sha256_hex("x"))).code,
            ErrorCode::conflict);
  EXPECT_EQ(job(lease->job).state, JobState::leased);
}

}  // namespace
}  // namespace hone::test
