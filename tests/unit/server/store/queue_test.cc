// JobStore: submission, listing, the order of the queue.

#include <algorithm>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "common/base/sha256.h"
#include "common/json/document.h"
#include "server/store/pg/job_claims.h"
#include "tests/unit/server/store/store_test.h"

namespace hone::test {
namespace {

class JobStoreQueue : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    add_target();
    add_worker();
  }
  std::optional<Lease> beside(const Lease& lease) {
    return get(store->jobs().claim("w1", token, 60, lease.attempt));
  }
  JobView job(const std::string& id) {
    return get(store->jobs().find(id, SampleDetail::leave_out));
  }
};

TEST_F(JobStoreQueue, GivesBackWhatWasSubmitted) {
  JobRequest request = example_job("lz4");
  request.stage = Stage::race;
  request.baseline = BaselineKind::oz;
  request.priority = -7;
  request.max_attempts = 2;
  const std::vector<JobRequest> batch = {request};
  const IdempotencyKey key{"k", sha256_hex("x")};
  const std::string id = get(store->jobs().submit(batch, key, token)).ids.at(0);
  const JobView view = job(id);
  EXPECT_EQ(view.target, "lz4");
  EXPECT_EQ(view.campaign, "");
  EXPECT_EQ(view.note, "by hand");
  EXPECT_EQ(view.stage, Stage::race);
  EXPECT_EQ(view.baseline, BaselineKind::oz);
  EXPECT_EQ(view.state, JobState::queued);
  EXPECT_EQ(view.priority, -7);
  EXPECT_EQ(view.max_attempts, 2);
  EXPECT_EQ(view.rules, request.rules);
  EXPECT_EQ(view.finished_at, "");
  EXPECT_TRUE(view.attempts.empty());
  EXPECT_FALSE(view.result);
}

TEST_F(JobStoreQueue, SameKeyAndBodyGiveTheSameAnswer) {
  const std::vector<JobRequest> batch(3, example_job("lz4"));
  const IdempotencyKey key{"key", sha256_hex("body")};
  const SubmittedJobs first = get(store->jobs().submit(batch, key, token));
  const SubmittedJobs second = get(store->jobs().submit(batch, key, token));
  EXPECT_FALSE(first.replayed);
  EXPECT_TRUE(second.replayed);
  EXPECT_EQ(first.ids.size(), 3U);
  EXPECT_EQ(first.ids, second.ids);
  EXPECT_EQ(sql("SELECT count(*) FROM jobs"), "3");
  const IdempotencyKey other{"key", sha256_hex("another body")};
  EXPECT_EQ(error_of(store->jobs().submit(batch, other, token)).code, ErrorCode::conflict);
}

TEST_F(JobStoreQueue, TheSameKeyAtTheSameTimeCountsOnce) {
  const std::vector<JobRequest> batch(2, example_job("lz4"));
  const IdempotencyKey key{"key", sha256_hex("body")};
  std::vector<Result<SubmittedJobs>> answers;
  for (int i = 0; i < 6; ++i) {
    boost::asio::co_spawn(context, store->jobs().submit(batch, key, token),
                          [&](std::exception_ptr, Result<SubmittedJobs> answer) {
                            answers.push_back(std::move(answer));
                          });
  }
  context.restart();
  while (answers.size() < 6 && context.run_one() > 0) {
  }
  int fresh = 0;
  for (const Result<SubmittedJobs>& answer : answers) {
    ASSERT_TRUE(answer) << answer.error().describe();
    fresh += answer->replayed ? 0 : 1;
    EXPECT_EQ(answer->ids, answers.front()->ids);
  }
  EXPECT_EQ(fresh, 1);
  EXPECT_EQ(sql("SELECT count(*) FROM jobs"), "2");
}

TEST_F(JobStoreQueue, NamesEveryUnknownTargetAndStoresNothing) {
  const std::vector<JobRequest> batch = {example_job("lz4"), example_job("no-such"),
                                         example_job("lz4"), example_job("nor-this")};
  const IdempotencyKey key{"key", sha256_hex("body")};
  const Error error = error_of(store->jobs().submit(batch, key, token));
  EXPECT_EQ(error.code, ErrorCode::invalid_argument);
  ASSERT_EQ(error.fields.size(), 2U);
  EXPECT_EQ(error.fields[0].pointer, "/jobs/1/target");
  EXPECT_EQ(error.fields[1].pointer, "/jobs/3/target");
  EXPECT_EQ(sql("SELECT count(*) FROM jobs"), "0");
  // The key was not used up: nothing was done under it.
  EXPECT_EQ(sql("SELECT count(*) FROM idempotency_keys"), "0");
}

TEST_F(JobStoreQueue, RefusesAnEmptyBatch) {
  const IdempotencyKey key{"key", sha256_hex("body")};
  const Error error = error_of(store->jobs().submit({}, key, token));
  EXPECT_EQ(error.code, ErrorCode::invalid_argument);
}

TEST_F(JobStoreQueue, ListsNewestFirstInPages) {
  const std::vector<std::string> ids = submit(5);
  std::vector<std::string> seen;
  PageRequest page;
  page.limit = 2;
  int pages = 0;
  do {
    const Page<JobView> list = get(store->jobs().list({}, page));
    for (const JobView& view : list.items) {
      seen.push_back(view.id);
    }
    page.cursor = list.next_cursor;
    ++pages;
  } while (!page.cursor.empty());
  EXPECT_EQ(pages, 3);
  EXPECT_EQ(seen, std::vector<std::string>(ids.rbegin(), ids.rend()));
}

TEST_F(JobStoreQueue, ListsByTargetCampaignAndState) {
  add_target("zlib");
  submit(2);
  submit(1, "zlib");
  const std::string campaign = race(3);
  ASSERT_TRUE(claim());
  const auto count = [&](JobFilter filter) {
    return get(store->jobs().list(filter, PageRequest{})).items.size();
  };
  EXPECT_EQ(count({.target = "lz4"}), 5U);
  EXPECT_EQ(count({.target = "zlib"}), 1U);
  EXPECT_EQ(count({.campaign = campaign}), 3U);
  EXPECT_EQ(count({.state = JobState::leased}), 1U);
  EXPECT_EQ(count({.target = "lz4", .campaign = campaign, .state = JobState::dead}), 0U);
  EXPECT_EQ(count({.campaign = "not an id"}), 0U);
}

TEST_F(JobStoreQueue, RefusesWhatIsNoCursorOrLimit) {
  PageRequest page;
  page.cursor = "x' OR true --";
  Error error = error_of(store->jobs().list({}, page));
  EXPECT_EQ(error.code, ErrorCode::invalid_argument);
  EXPECT_EQ(error.fields.at(0).pointer, "/cursor");
  page.cursor = "";
  page.limit = 100000;
  error = error_of(store->jobs().list({}, page));
  EXPECT_EQ(error.fields.at(0).pointer, "/limit");
}

TEST_F(JobStoreQueue, CountsEveryState) {
  submit(3);
  ASSERT_TRUE(claim());
  const auto counts = get(store->jobs().count_by_state());
  EXPECT_EQ(counts.size(), 5U);
  EXPECT_EQ(counts.at(JobState::queued), 2);
  EXPECT_EQ(counts.at(JobState::leased), 1);
  EXPECT_EQ(counts.at(JobState::dead), 0);
}

TEST_F(JobStoreQueue, UnknownIdsAreNotFound) {
  const std::string nobody = "00000000-0000-0000-0000-000000000000";
  for (const std::string& id : {nobody, std::string("x"), std::string()}) {
    EXPECT_EQ(error_of(store->jobs().find(id, SampleDetail::include)).code, ErrorCode::not_found);
    EXPECT_EQ(error_of(store->jobs().cancel(id)).code, ErrorCode::not_found);
    EXPECT_EQ(error_of(store->jobs().heartbeat(id, token, 60)).code, ErrorCode::not_found);
    EXPECT_EQ(error_of(store->jobs().complete(id, token, example_result(), sha256_hex("x"))).code,
              ErrorCode::not_found);
    EXPECT_EQ(error_of(store->jobs().hand_back(id, token, HandBack{"x", true})).code,
              ErrorCode::not_found);
  }
}

TEST_F(JobStoreQueue, ClaimGivesHigherPriorityFirstThenOlder) {
  const std::string low = submit(1, "lz4", -1).at(0);
  const std::vector<std::string> middle = submit(2, "lz4", 0);
  const std::string high = submit(1, "lz4", 5).at(0);
  EXPECT_EQ(claim()->job, high);
  EXPECT_EQ(claim()->job, middle[0]);
  EXPECT_EQ(claim()->job, middle[1]);
  EXPECT_EQ(claim()->job, low);
  EXPECT_FALSE(claim());
}

TEST_F(JobStoreQueue, ClaimIsFairBetweenCampaigns) {
  const std::string first = race(6);
  const std::string second = race(6);
  submit(6);
  // One slot: each lease ends before the next is taken, so that nobody holds one.
  std::map<std::string, int> served;
  for (int i = 0; i < 9; ++i) {
    const std::optional<Lease> lease = claim();
    ASSERT_TRUE(lease);
    ++served[job(lease->job).campaign];
    done(store->jobs().complete(lease->attempt, token, example_result(), sha256_hex("x")));
  }
  EXPECT_EQ(served[first], 3);
  EXPECT_EQ(served[second], 3);
  EXPECT_EQ(served[""], 3);
}

TEST_F(JobStoreQueue, ClaimPrefersWhoHoldsFewestLeases) {
  const std::string busy = race(6);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(claim());
  }
  const std::string idle = race(6);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(job(claim()->job).campaign, idle);
  }
}

TEST_F(JobStoreQueue, ALeaseSaysAllThatAWorkerNeeds) {
  const std::string id = submit(1).at(0);
  const std::optional<Lease> lease = claim("w1", 42);
  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->job, id);
  EXPECT_EQ(lease->attempt_number, 1);
  EXPECT_EQ(lease->ttl_seconds, 42);
  EXPECT_EQ(lease->target, example_target("lz4"));
  EXPECT_EQ(lease->stage, Stage::confirm);
  EXPECT_EQ(lease->rules, example_job("lz4").rules);
  EXPECT_LT(lease->seed, std::uint64_t{1} << 53U);
  const JobView view = job(id);
  EXPECT_EQ(view.state, JobState::leased);
  ASSERT_EQ(view.attempts.size(), 1U);
  EXPECT_EQ(view.attempts[0].id, lease->attempt);
  EXPECT_EQ(view.attempts[0].worker, "w1");
  EXPECT_EQ(view.attempts[0].state, AttemptState::leased);
  EXPECT_EQ(get(store->workers().find("w1")).current_job, id);
}

TEST_F(JobStoreQueue, AJobKeepsTheTargetVersionItWasMadeFor) {
  submit(1);
  TargetSpec changed = example_target("lz4");
  changed.benchmark.timeout_seconds = 7;
  get(store->targets().put(changed, token));
  submit(1);
  EXPECT_EQ(claim()->target, example_target("lz4"));
  EXPECT_EQ(claim()->target, changed);
}

TEST_F(JobStoreQueue, BesideAnAttemptOnlyItsCampaignsRaceJobsAreGiven) {
  const std::string campaign = race(3);
  const std::optional<Lease> first = claim();
  ASSERT_TRUE(first);
  race(2);
  submit(1);
  EXPECT_EQ(first->campaign, campaign);
  EXPECT_EQ(first->stage, Stage::race);
  std::set<std::string> jobs = {first->job};
  for (int i = 0; i < 2; ++i) {
    const std::optional<Lease> next = beside(*first);
    ASSERT_TRUE(next);
    EXPECT_EQ(next->campaign, campaign);
    EXPECT_EQ(next->target, first->target);
    EXPECT_EQ(next->baseline, first->baseline);
    jobs.insert(next->job);
  }
  EXPECT_EQ(jobs.size(), 3U);
  EXPECT_FALSE(beside(*first)) << "other jobs are queued, but none of this campaign";
}

TEST_F(JobStoreQueue, WhatLostALeaseRunsAlone) {
  race(4);
  const std::optional<Lease> first = claim();
  ASSERT_TRUE(first);
  ASSERT_TRUE(beside(*first));
  sql("UPDATE attempts SET expires_at = now() - interval '1 second'");
  ASSERT_EQ(expire_leases().size(), 2U);  // their worker died, of one of the two
  const std::optional<Lease> again = claim();
  ASSERT_TRUE(again);
  EXPECT_EQ(again->job, first->job);
  EXPECT_FALSE(beside(*again)) << "fresh ones are queued, but it may have killed the worker";
  // Beside a fresh one only fresh ones stand.
  const std::optional<Lease> suspect = claim();
  ASSERT_TRUE(suspect);
  EXPECT_EQ(suspect->attempt_number, 2);
  get(store->jobs().hand_back(suspect->attempt, token, HandBack{"x", false}));
  const std::string oldest =
      sql("SELECT id FROM jobs WHERE state = 'queued' AND attempts_counted = 1 ORDER BY number "
          "LIMIT 1");
  ASSERT_EQ(oldest, suspect->job);
  sql("UPDATE jobs SET not_before = now() + interval '1 hour' WHERE id = '" + oldest + "'");
  const std::optional<Lease> fresh = claim();
  sql("UPDATE jobs SET not_before = NULL WHERE id = '" + oldest + "'");
  ASSERT_TRUE(fresh);
  EXPECT_EQ(fresh->attempt_number, 1);
  const std::optional<Lease> neighbour = beside(*fresh);
  ASSERT_TRUE(neighbour);
  EXPECT_NE(neighbour->job, oldest);
  EXPECT_FALSE(beside(*fresh)) << "the suspect is left";
}

TEST_F(JobStoreQueue, BesideAnAttemptStageVersionAndBaselineAreTheSame) {
  const std::string campaign = race(4);
  const std::optional<Lease> first = claim();
  ASSERT_TRUE(first);
  TargetSpec changed = example_target("lz4");
  changed.benchmark.timeout_seconds = 7;
  get(store->targets().put(changed, token));
  const std::string next = "(SELECT min(number) FROM jobs WHERE state = 'queued')";
  sql("UPDATE jobs SET target_version = 2 WHERE number = " + next);
  sql("UPDATE jobs SET stage = 'confirm' WHERE number = " + next + " + 1");
  sql("UPDATE jobs SET baseline = 'Oz' WHERE number = " + next + " + 2");
  EXPECT_EQ(
      get(store->jobs().list({.campaign = campaign, .state = JobState::queued}, {})).items.size(),
      3U);
  EXPECT_FALSE(beside(*first));
}

TEST_F(JobStoreQueue, NothingIsGivenBesideAJobWithoutCampaign) {
  submit(3);
  const std::optional<Lease> first = claim();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->campaign, "");
  EXPECT_FALSE(beside(*first));
}

TEST_F(JobStoreQueue, NothingIsGivenBesideAnAttemptThatTheTokenDoesNotHold) {
  race(4);
  const std::optional<Lease> first = claim();
  ASSERT_TRUE(first);
  const std::string other = get(store->tokens().create("other", Role::worker)).view.id;
  const std::string nobody = "00000000-0000-0000-0000-000000000000";
  const std::pair<std::string, std::string> wrong[] = {
      {other, first->attempt}, {token, nobody}, {token, "x"}};
  for (const auto& [holder, attempt] : wrong) {
    const Error error = error_of(store->jobs().claim("w1", holder, 60, attempt));
    EXPECT_EQ(error.code, ErrorCode::invalid_argument);
    ASSERT_EQ(error.fields.size(), 1U);
    EXPECT_EQ(error.fields[0].pointer, "/beside");
  }
  done(store->jobs().complete(first->attempt, token, example_result(), sha256_hex("x")));
  EXPECT_EQ(error_of(store->jobs().claim("w1", token, 60, first->attempt)).code,
            ErrorCode::invalid_argument);
  EXPECT_EQ(sql("SELECT count(*) FROM jobs WHERE state = 'queued'"), "3");
}

TEST_F(JobStoreQueue, OnlyRegisteredWorkersClaim) {
  const std::string id = submit(1).at(0);
  EXPECT_EQ(error_of(store->jobs().claim("nobody", token, 60)).code, ErrorCode::not_found);
  EXPECT_EQ(job(id).state, JobState::queued);
}

TEST_F(JobStoreQueue, EightClaimersNeverGetTheSameJob) {
  constexpr int kJobs = 100;
  submit(60);
  race(40);
  std::multiset<std::string> claimed;
  int running = 8;
  for (int i = 0; i < 8; ++i) {
    const auto work = [](JobStore& jobs, std::string holder,
                         std::multiset<std::string>& list) -> Async<void> {
      while (true) {
        HONE_CO_TRY(const std::optional<Lease> lease, co_await jobs.claim("w1", holder, 60));
        if (!lease) {
          co_return Result<void>();
        }
        list.insert(lease->job);
      }
    };
    boost::asio::co_spawn(context, work(store->jobs(), token, claimed),
                          [&](std::exception_ptr error, Result<void> result) {
                            EXPECT_FALSE(error);
                            EXPECT_TRUE(result);
                            --running;
                          });
  }
  context.restart();
  while (running > 0 && context.run_one() > 0) {
  }
  EXPECT_EQ(claimed.size(), std::size_t{kJobs});
  EXPECT_EQ(std::set<std::string>(claimed.begin(), claimed.end()).size(), std::size_t{kJobs});
  EXPECT_EQ(sql("SELECT count(*) FROM attempts"), std::to_string(kJobs));
}

// What a plan that was run read of the queue's tables, in rows; each way to read them that is no
// index is noted.
struct RowsRead {
  double rows = 0;
  std::string without_index;
};
void add_rows_read(const Json& node, RowsRead& read) {
  const std::string table = node.value("Relation Name", "");
  if (table == "jobs" || table == "attempts") {
    const double each = node.value("Actual Rows", 0.0) + node.value("Rows Removed by Filter", 0.0) +
                        node.value("Rows Removed by Index Recheck", 0.0);
    const double loops = node.value("Actual Loops", 0.0);
    read.rows += each * loops;
    if (node["Node Type"] == "Seq Scan" && each * loops > 0) {
      read.without_index += table + " ";
    }
  }
  if (node.contains("Plans")) {
    for (const Json& below : node["Plans"]) {
      add_rows_read(below, read);
    }
  }
}

TEST_F(JobStoreQueue, AClaimReadsOfALongQueueOnlyItsHeads) {
  // The very statement that is sent, run once; campaigns are but numbers here.
  const std::string only_rows = "SET session_replication_role = replica; ";
  const std::string claim_once = only_rows + "PREPARE claim AS " + claim_statement().sql +
                                 "; EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE claim (ARRAY['w1'], "
                                 "ARRAY['" +
                                 token + "']::uuid[], ARRAY[1]::bigint[], 60)";
  submit(1000);
  std::size_t lanes = 1;
  for (const int further : {0, 1500}) {
    // As many campaigns, each with eight jobs that are ready and an attempt; what else campaigns
    // have is nothing to a claim.
    sql(only_rows +
        "INSERT INTO jobs (target, target_version, "
        "campaign, candidate, stage, baseline, priority, max_attempts) SELECT 1, 1, 1000 + n % " +
        std::to_string(std::max(further, 1)) + ", n, 'race', 'O3', 0, 3 FROM generate_series(1, " +
        std::to_string(8 * further) +
        ") AS n; INSERT INTO attempts (job, lane, ordinal, worker, token, state, seed, reason, "
        "expires_at, ended_at) SELECT 1000000 + n, 999 + n, 1, 1, 1, 'failed', 1, 'x', "
        "now(), now() FROM generate_series(1, " +
        std::to_string(further) + ") AS n");
    sql("ANALYZE jobs; ANALYZE attempts");
    lanes += static_cast<std::size_t>(further);
    ASSERT_EQ(sql("SELECT count(DISTINCT lane) FROM jobs WHERE state = 'queued'"),
              std::to_string(lanes));
    const std::string plan = sql(claim_once);
    const Result<Json> document = parse_json(plan, {.bytes = std::size_t{1} << 20U, .depth = 200});
    ASSERT_TRUE(document) << plan;
    RowsRead read;
    add_rows_read((*document)[0]["Plan"], read);
    EXPECT_NE(plan.find("jobs_ready"), std::string::npos) << plan;
    EXPECT_EQ(read.without_index, "") << plan;
    // One job and the last attempt of each lane, and a batch of the lane that is served.
    EXPECT_GE(read.rows, static_cast<double>(lanes));
    EXPECT_LE(read.rows, static_cast<double>(3 * lanes + 200)) << plan;
  }
  EXPECT_EQ(sql("SELECT count(*) FROM jobs WHERE state = 'leased'"), "2") << "it was the claim";
}

}  // namespace
}  // namespace hone::test
