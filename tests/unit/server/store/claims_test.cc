// JobStore: claims of many workers at once, what targets require, pauses, deadlines, and retries.

#include <map>
#include <set>

#include "common/base/sha256.h"
#include "tests/unit/server/store/store_test.h"

namespace hone::test {
namespace {

class JobStoreClaims : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    add_target();
    add_worker("w1");
    add_worker("w2");
    add_worker("w3");
  }
  JobView job(const std::string& id) {
    return get(store->jobs().find(id, SampleDetail::leave_out));
  }
  Claims claim_for(const std::vector<std::string>& workers) {
    std::vector<Claimant> claimants;
    for (const std::string& worker : workers) {
      claimants.push_back({worker, token});
    }
    return get(store->jobs().claim_many(claimants, 60));
  }
  void add_target_requiring(const std::string& name, const Requirements& required) {
    TargetSpec spec = example_target(name);
    spec.required = required;
    get(store->targets().put(spec, token));
  }
  void add_able_worker(const std::string& name) {
    WorkerView worker;
    worker.name = name;
    worker.labels = {{"rack", "a"}, {"quiet", "yes"}};
    worker.machine.cpu_model = "AMD EPYC 7B13";
    worker.machine.memory_mib = 32'768;
    worker.llvm = {16, 19};
    get(store->workers().put(worker));
  }
  std::vector<WorkerKind> kinds(std::vector<std::string> names) {
    std::vector<Claimant> claimants;
    for (std::string& name : names) {
      claimants.push_back({std::move(name), token});
    }
    return get(store->workers().kinds(std::move(claimants)));
  }
};

TEST_F(JobStoreClaims, OneStatementServesManyWorkers) {
  const std::vector<std::string> jobs = submit(2);
  const Claims claims = claim_for({"w1", "w2", "w3"});
  ASSERT_EQ(claims.each.size(), 3U);
  EXPECT_EQ(claims.each[0].lease->job, jobs[0]);
  EXPECT_EQ(claims.each[1].lease->job, jobs[1]);
  EXPECT_EQ(claims.each[2].status, ClaimStatus::nothing);
  EXPECT_FALSE(claims.missed);
  EXPECT_NE(claims.each[0].lease->seed, claims.each[1].lease->seed);
  EXPECT_EQ(job(jobs[0]).attempts.at(0).worker, "w1");
  EXPECT_EQ(job(jobs[1]).attempts.at(0).worker, "w2");
}

TEST_F(JobStoreClaims, TheSameWorkerMayWaitTwice) {
  submit(2);
  const Claims claims = claim_for({"w1", "w1"});
  EXPECT_NE(claims.each[0].lease->job, claims.each[1].lease->job);
}

TEST_F(JobStoreClaims, EachIsToldWhyItGetsNothing) {
  submit(5);
  get(store->workers().set_use("w2", WorkerUse::drain));
  const Claims claims = claim_for({"nobody", "w2", "w1"});
  EXPECT_EQ(claims.each[0].status, ClaimStatus::not_registered);
  EXPECT_EQ(claims.each[1].status, ClaimStatus::drained);
  EXPECT_EQ(claims.each[2].status, ClaimStatus::leased);
}

TEST_F(JobStoreClaims, AJobThatCannotBeReadTakesNoOtherWithIt) {
  const std::vector<std::string> ids = submit(3);
  sql("UPDATE jobs SET rules = '[1]' WHERE id = '" + ids[1] + "'");
  const Claims claims = claim_for({"w1", "w2", "w3"});
  EXPECT_EQ(claims.each[0].lease->job, ids[0]);
  EXPECT_EQ(claims.each[1].status, ClaimStatus::leased);
  EXPECT_FALSE(claims.each[1].lease);
  EXPECT_EQ(claims.each[2].lease->job, ids[2]);
}

TEST_F(JobStoreClaims, ASmallCampaignIsServedAlternatelyWithALargeOne) {
  const std::string large = race(1000);
  const std::string small = race(10);
  std::map<std::string, int> served;
  for (int i = 0; i < 10; ++i) {
    const Claims claims = claim_for({"w1", "w2"});
    for (const Claim& claim : claims.each) {
      ASSERT_TRUE(claim.lease);
      ++served[claim.lease->campaign];
      done(store->jobs().complete(claim.lease->attempt, token, failed_result(Outcome::no_data, "x"),
                                  sha256_hex("x")));
    }
    EXPECT_EQ(served[small], i + 1);
    EXPECT_EQ(served[large], i + 1);
  }
  EXPECT_EQ(claim_for({"w1"}).each[0].lease->campaign, large);
}

TEST_F(JobStoreClaims, ABatchIsDealtOutLikeSingleClaims) {
  // The first campaign holds two leases already: the second catches up before both share.
  const std::string busy = race(20);
  ASSERT_TRUE(claim());
  ASSERT_TRUE(claim());
  const std::string idle = race(20);
  const Claims claims = claim_for({"w1", "w2", "w3", "w1", "w2", "w3"});
  std::map<std::string, int> served;
  for (const Claim& claim : claims.each) {
    ++served[claim.lease->campaign];
  }
  EXPECT_EQ(served[idle], 4);
  EXPECT_EQ(served[busy], 2);
  const std::vector<std::string> urgent = submit(2, "lz4", 5);
  const Claims next = claim_for({"w1", "w2", "w3"});
  EXPECT_EQ(next.each[0].lease->job, urgent[0]);
  EXPECT_EQ(next.each[1].lease->job, urgent[1]);
  EXPECT_NE(next.each[2].lease->campaign, "");
}

TEST_F(JobStoreClaims, WorkersOfOneKindMayMeasureTheSame) {
  add_able_worker("able");
  EXPECT_EQ(kinds({"w1"})[0].kind, kinds({"able"})[0].kind) << "nothing is required yet";
  add_target_requiring("picky", {.labels = {{"rack", "a"}}});
  const std::vector<WorkerKind> found = kinds({"w1", "able", "w2", "nobody"});
  EXPECT_NE(found[0].kind, found[1].kind);
  EXPECT_EQ(found[0].kind, found[2].kind);
  EXPECT_TRUE(found[0].registered);
  EXPECT_FALSE(found[3].registered);
  submit(1, "picky");
  submit(2);
  const Claims claims = claim_for({"w1", "able", "w2"});
  EXPECT_EQ(claims.each[0].status, ClaimStatus::leased);
  EXPECT_EQ(claims.each[1].status, ClaimStatus::other_kind);
  EXPECT_EQ(claims.each[2].status, ClaimStatus::leased);
}

TEST_F(JobStoreClaims, AJobGoesOnlyToAWorkerThatHasWhatItsTargetRequires) {
  add_able_worker("able");
  const std::pair<Requirements, bool> cases[] = {
      {{.labels = {{"rack", "a"}}}, true},
      {{.labels = {{"rack", "b"}}}, false},
      {{.labels = {{"rack", "a"}, {"gpu", "yes"}}}, false},
      {{.cpu = "epyc"}, true},
      {{.cpu = "Xeon"}, false},
      {{.llvm = {19}}, true},
      {{.llvm = {16, 19}}, true},
      {{.llvm = {14, 19}}, false},
      {{.memory_mib = 32'768}, true},
      {{.memory_mib = 32'769}, false},
      {{.labels = {{"rack", "a"}}, .cpu = "AMD", .llvm = {19}, .memory_mib = 1'024}, true},
  };
  int number = 0;
  for (const auto& [required, met] : cases) {
    const std::string target = "case-" + std::to_string(number++);
    add_target_requiring(target, required);
    const std::string id = submit(1, target).at(0);
    EXPECT_FALSE(claim("w1")) << target;
    const std::optional<Lease> lease = claim("able");
    EXPECT_EQ(lease.has_value(), met) << target;
    if (lease) {
      EXPECT_EQ(lease->target.required, required);
    } else {
      get(store->jobs().cancel(id));
    }
  }
}

TEST_F(JobStoreClaims, AJobThatNobodyMayMeasureHoldsUpNoOther) {
  add_target_requiring("picky", {.cpu = "Xeon"});
  submit(100, "picky", 5);
  const std::string plain = submit(1).at(0);
  EXPECT_EQ(claim()->job, plain);
}

TEST_F(JobStoreClaims, AJobSaysWhatNoWorkerHas) {
  add_target_requiring("picky", {.labels = {{"rack", "a"}}, .cpu = "Xeon", .memory_mib = 1'024});
  const std::string id = submit(1, "picky").at(0);
  EXPECT_EQ(job(id).unmet.size(), 3U);
  add_able_worker("able");
  std::vector<std::string> unmet = job(id).unmet;
  ASSERT_EQ(unmet.size(), 1U);
  EXPECT_EQ(unmet[0], "a CPU model with \"Xeon\"");
  // One has the processor, another the rest: no worker has it all.
  WorkerView other;
  other.name = "other";
  other.machine.cpu_model = "Intel Xeon";
  get(store->workers().put(other));
  unmet = job(id).unmet;
  ASSERT_EQ(unmet.size(), 1U);
  EXPECT_NE(unmet[0].find("all of it in one worker"), std::string::npos) << unmet[0];
  other.labels = {{"rack", "a"}};
  other.machine.memory_mib = 2'048;
  get(store->workers().put(other));
  EXPECT_TRUE(job(id).unmet.empty());
  get(store->workers().set_use("other", WorkerUse::drain));
  EXPECT_EQ(job(id).unmet.size(), 1U);
}

TEST_F(JobStoreClaims, ResultsAreCountedTogetherEachWithItsOwnAnswer) {
  submit(3);
  const Claims claims = claim_for({"w1", "w2", "w3"});
  std::vector<Completion> batch;
  for (const Claim& claim : claims.each) {
    batch.push_back({claim.lease->attempt, token, example_result(), sha256_hex("x")});
  }
  batch[1].result.reused_attempt = "00000000-0000-0000-0000-000000000000";
  batch.push_back(batch[0]);  // sent twice, since a reply was late
  batch.push_back(batch[0]);
  batch.back().body_sha256 = sha256_hex("another");
  batch.push_back({"00000000-0000-0000-0000-000000000000", token, example_result(), ""});
  batch.push_back({batch[2].attempt, get(store->tokens().create("other", Role::worker)).view.id,
                   example_result(), sha256_hex("x")});
  const std::vector<Result<void>> ends = get(store->jobs().complete_many(batch));
  ASSERT_EQ(ends.size(), 7U);
  EXPECT_TRUE(ends[0]);
  EXPECT_EQ(ends[1].error().code, ErrorCode::invalid_argument);
  EXPECT_TRUE(ends[2]);
  EXPECT_TRUE(ends[3]);
  EXPECT_EQ(ends[4].error().code, ErrorCode::conflict);
  EXPECT_EQ(ends[5].error().code, ErrorCode::not_found);
  EXPECT_EQ(ends[6].error().code, ErrorCode::permission_denied);
  EXPECT_EQ(sql("SELECT count(*) FROM results"), "2");
  EXPECT_EQ(sql("SELECT count(*) FROM experiences"), "2");
  EXPECT_EQ(*get(store->jobs().find(claims.each[2].lease->job, SampleDetail::include)).result,
            example_result());
}

TEST_F(JobStoreClaims, OneResultThatTheDatabaseRefusesTakesNoOtherWithIt) {
  submit(3);
  const Claims claims = claim_for({"w1", "w2", "w3"});
  std::vector<Completion> batch;
  for (const Claim& claim : claims.each) {
    batch.push_back({claim.lease->attempt, token, example_result(), sha256_hex("x")});
  }
  batch[1].result.reward->low = batch[1].result.reward->high + 1;  // past every check of ours
  const std::vector<Result<void>> ends = get(store->jobs().complete_many(batch));
  EXPECT_TRUE(ends[0]);
  EXPECT_FALSE(ends[1]);
  EXPECT_TRUE(ends[2]);
  EXPECT_EQ(sql("SELECT count(*) FROM results"), "2");
  EXPECT_EQ(job(claims.each[1].lease->job).state, JobState::leased);
}

TEST_F(JobStoreClaims, ADeadJobIsTriedAgainOnRequest) {
  const std::string id = submit(1, "lz4", 0, 1).at(0);
  EXPECT_EQ(error_of(store->jobs().retry("00000000-0000-0000-0000-000000000000")).code,
            ErrorCode::not_found);
  EXPECT_EQ(get(store->jobs().retry(id)).state, JobState::queued) << "nothing to do";
  const std::optional<Lease> lease = claim();
  EXPECT_EQ(error_of(store->jobs().retry(id)).code, ErrorCode::conflict);
  get(store->jobs().hand_back(lease->attempt, token, HandBack{"disk full", true}));
  EXPECT_EQ(job(id).state, JobState::dead);
  const JobView again = get(store->jobs().retry(id));
  EXPECT_EQ(again.state, JobState::queued);
  EXPECT_EQ(again.reason, "");
  EXPECT_EQ(again.finished_at, "");
  const std::optional<Lease> second = claim();
  EXPECT_EQ(second->job, id);
  EXPECT_EQ(second->attempt_number, 2);
  done(store->jobs().complete(second->attempt, token, example_result(), sha256_hex("x")));
  EXPECT_EQ(error_of(store->jobs().retry(id)).code, ErrorCode::conflict);
}

TEST_F(JobStoreClaims, AJobOfACampaignThatIsOverIsNotTriedAgain) {
  const std::string campaign = race(1);
  const std::optional<Lease> lease = claim();
  sql("UPDATE jobs SET max_attempts = 1");
  get(store->jobs().hand_back(lease->attempt, token, HandBack{"x", true}));
  get(store->campaigns().cancel(campaign));
  const Error error = error_of(store->jobs().retry(lease->job));
  EXPECT_EQ(error.code, ErrorCode::conflict);
  EXPECT_NE(error.message.find("cancelled"), std::string::npos) << error.message;
}

TEST_F(JobStoreClaims, AJobOfACampaignThatIsJustBeingCancelledIsNotTriedAgain) {
  const std::string campaign = race(1);
  const std::optional<Lease> lease = claim();
  sql("UPDATE jobs SET max_attempts = 1");
  get(store->jobs().hand_back(lease->attempt, token, HandBack{"x", true}));
  const std::unique_ptr<PgConnection> canceller =
      begin_other("SELECT FROM campaigns WHERE id = '" + campaign +
                  "' FOR NO KEY UPDATE; UPDATE campaigns SET state = 'cancelled', reason = 'x', "
                  "finished_at = now()");
  const Result<JobView> retried = overlapping(*canceller, store->jobs().retry(lease->job));
  ASSERT_FALSE(retried);
  EXPECT_EQ(retried.error().code, ErrorCode::conflict);
  EXPECT_NE(retried.error().message.find("cancelled"), std::string::npos)
      << retried.error().message;
  EXPECT_EQ(job(lease->job).state, JobState::dead);
}

TEST_F(JobStoreClaims, ALaneThatIsAllLateHoldsUpNoOther) {
  const std::string late = race(3, std::nullopt, 5);
  sql("UPDATE jobs SET deadline = now() - interval '1 second'");
  const std::string campaign = race(2);
  // One claimant looks at one lane.
  for (const char* worker : {"w1", "w2"}) {
    const std::optional<Lease> lease = claim(worker);
    ASSERT_TRUE(lease) << "the sweep has not come yet";
    EXPECT_EQ(lease->campaign, campaign);
  }
  // One job that is in time behind others that are late is enough.
  sql("UPDATE jobs SET deadline = NULL WHERE number = 3");
  const Claims next = claim_for({"w1", "w2"});
  ASSERT_TRUE(next.each[0].lease);
  EXPECT_EQ(next.each[0].lease->campaign, late);
  EXPECT_FALSE(next.each[1].lease);
}

TEST_F(JobStoreClaims, CountsFollowEveryChangeAndAreAddedUp) {
  const auto expect_counts = [&](std::int64_t queued, std::int64_t leased, std::int64_t ended) {
    const std::map<JobState, std::int64_t> counts = get(store->jobs().count_by_state());
    EXPECT_EQ(counts.size(), 5U);
    EXPECT_EQ(counts.at(JobState::queued), queued);
    EXPECT_EQ(counts.at(JobState::leased), leased);
    EXPECT_EQ(
        counts.at(JobState::done) + counts.at(JobState::dead) + counts.at(JobState::cancelled),
        ended);
  };
  const std::vector<std::string> ids = submit(4);
  expect_counts(4, 0, 0);
  const Claims claims = claim_for({"w1", "w2"});
  expect_counts(2, 2, 0);
  get(store->jobs().sweep_queue());
  EXPECT_EQ(sql("SELECT count(*) FROM job_count_changes"), "0");
  expect_counts(2, 2, 0);
  done(store->jobs().complete(claims.each[0].lease->attempt, token, example_result(),
                              sha256_hex("x")));
  get(store->jobs().hand_back(claims.each[1].lease->attempt, token, HandBack{"x", true}));
  get(store->jobs().cancel(ids[3]));
  expect_counts(2, 0, 2);
  get(store->jobs().sweep_queue());
  get(store->jobs().sweep_queue());
  expect_counts(2, 0, 2);
  EXPECT_EQ(sql("SELECT sum(count) FROM job_counts"), "4");
}

TEST_F(JobStoreClaims, ALateQueuedJobIsDeadWithTheReason) {
  JobRequest request = example_job("lz4");
  request.deadline_seconds = 3'600;
  const std::vector<JobRequest> batch = {request};
  const IdempotencyKey key{"k", sha256_hex("x")};
  const std::string id = get(store->jobs().submit(batch, key, token)).ids.at(0);
  EXPECT_NE(job(id).deadline, "");
  EXPECT_EQ(get(store->jobs().sweep_queue()).late, 0);
  sql("UPDATE jobs SET deadline = now() - interval '1 second'");
  EXPECT_FALSE(claim()) << "not even before the sweep";
  EXPECT_EQ(get(store->jobs().sweep_queue()).late, 1);
  const JobView view = job(id);
  EXPECT_EQ(view.state, JobState::dead);
  EXPECT_TRUE(view.reason.starts_with("deadline: ")) << view.reason;
  EXPECT_TRUE(view.late);
  // Tried again, it has no deadline any more: the old one has passed.
  EXPECT_EQ(get(store->jobs().retry(id)).deadline, "");
  EXPECT_EQ(claim()->job, id);
}

TEST_F(JobStoreClaims, ALateLeasedJobsWorkerIsToldAndItsResultStillCounts) {
  submit(3);
  const Claims claims = claim_for({"w1", "w2", "w3"});
  const auto attempt = [&](std::size_t i) { return claims.each[i].lease->attempt; };
  sql("UPDATE jobs SET deadline = now() - interval '1 second'");
  EXPECT_EQ(get(store->jobs().sweep_queue()).late, 3);
  EXPECT_EQ(get(store->jobs().sweep_queue()).late, 0) << "each is told once";
  EXPECT_TRUE(get(store->jobs().heartbeat(attempt(0), token, 60)).cancelled);
  done(store->jobs().complete(attempt(0), token, example_result(), sha256_hex("x")));
  done(store->jobs().complete(attempt(1), token, failed_result(Outcome::cancelled, "stopped"),
                              sha256_hex("x")));
  const EndedLease back =
      get(store->jobs().hand_back(attempt(2), token, HandBack{"stopped", false}));
  EXPECT_EQ(back.job_state, JobState::dead);
  EXPECT_FALSE(back.gave_up);
  EXPECT_EQ(job(claims.each[0].lease->job).state, JobState::done);
  for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
    const JobView view = job(claims.each[i].lease->job);
    EXPECT_EQ(view.state, JobState::dead);
    EXPECT_TRUE(view.late);
    EXPECT_TRUE(view.reason.starts_with("deadline: ")) << view.reason;
  }
}

TEST_F(JobStoreClaims, AJobThatUsedUpItsAttemptsIsNotLate) {
  const std::string handed_back = submit(1, "lz4", 0, 1).at(0);
  EXPECT_TRUE(get(store->jobs().hand_back(claim()->attempt, token, HandBack{"no", true})).gave_up);
  const std::string expired = submit(1, "lz4", 0, 1).at(0);
  sql("UPDATE jobs SET deadline = now() + interval '1 hour'");
  ASSERT_TRUE(claim());
  sql("UPDATE attempts SET expires_at = now() - interval '1 second' WHERE state = 'leased'");
  const std::vector<EndedLease> ended = expire_leases();
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_TRUE(ended.front().gave_up);
  for (const std::string& id : {handed_back, expired}) {
    EXPECT_EQ(job(id).state, JobState::dead);
    EXPECT_FALSE(job(id).late);
  }
}

TEST_F(JobStoreClaims, AQueuedJobSaysWhatItWaitsFor) {
  submit(2, "lz4", 5);
  const std::string id = submit(1).at(0);
  EXPECT_EQ(job(id).waits, "for its turn at 3 workers");
  EXPECT_EQ(job(id).ahead, 2);
  get(store->workers().set_use("w1", WorkerUse::drain));
  EXPECT_EQ(job(id).waits, "for its turn at 2 workers");
  get(store->workers().leave("w2", ""));
  get(store->workers().set_use("w3", WorkerUse::drain));
  EXPECT_EQ(job(id).waits, "2 workers connected, all of them drained: none takes a new job");
  get(store->workers().leave("w1", ""));
  sql("UPDATE workers SET last_seen_at = now() - interval '1 hour' WHERE name = 'w3'");
  EXPECT_EQ(job(id).waits, "no worker is connected");
  add_target_requiring("picky", {.cpu = "Xeon"});
  const std::string picky = submit(1, "picky").at(0);
  add_worker("w9");
  EXPECT_EQ(job(picky).waits, "none of the workers that take jobs fits (1 connected)");
  claim("w9");
  claim("w9");
  claim("w9");
  EXPECT_EQ(job(id).state, JobState::leased);
  EXPECT_EQ(job(id).waits, "");
}

class JobStorePause : public JobStoreClaims {
 protected:
  void SetUp() override {
    retry = {.first = std::chrono::minutes(1), .longest = std::chrono::minutes(3)};
    JobStoreClaims::SetUp();
  }
  double pause_of(const std::string& id) {
    return std::stod(
        sql("SELECT coalesce(extract(epoch FROM not_before - now()), 0) FROM jobs "
            "WHERE id = '" +
            id + "'"));
  }
};

TEST_F(JobStorePause, DoublesWithEachCountedAttemptUpToTheLongest) {
  const std::string id = submit(1, "lz4", 0, 10).at(0);
  for (const double expected : {60.0, 120.0, 180.0, 180.0}) {
    const std::optional<Lease> lease = claim();
    ASSERT_TRUE(lease);
    get(store->jobs().hand_back(lease->attempt, token, HandBack{"disk full", true}));
    EXPECT_FALSE(claim()) << "it waits";
    EXPECT_NE(job(id).not_before, "");
    EXPECT_GT(pause_of(id), 0.75 * expected - 5);
    EXPECT_LT(pause_of(id), 1.25 * expected + 1);
    EXPECT_EQ(get(store->jobs().sweep_queue()).woken, 0);
    sql("UPDATE jobs SET not_before = now()");
    const auto mark = store->notifications().mark(Channel::queue);
    EXPECT_EQ(get(store->jobs().sweep_queue()).woken, 1);
    EXPECT_TRUE(run_on(
        context, store->notifications().wait(Channel::queue, mark, std::chrono::seconds(20))));
  }
  EXPECT_TRUE(claim());
}

TEST_F(JobStorePause, AnExpiredLeaseWaitsAndACleanHandBackDoesNot) {
  const std::string id = submit(1).at(0);
  std::optional<Lease> lease = claim();
  get(store->jobs().hand_back(lease->attempt, token, HandBack{"Ctrl-C", false}));
  EXPECT_EQ(job(id).not_before, "");
  claim("w1", 0);
  EXPECT_EQ(expire_leases().size(), 1U);
  EXPECT_GT(pause_of(id), 40);
  EXPECT_FALSE(claim());
  // Cancelling and retrying end the pause.
  get(store->jobs().cancel(id));
  EXPECT_EQ(job(id).state, JobState::cancelled);
}

}  // namespace
}  // namespace hone::test
