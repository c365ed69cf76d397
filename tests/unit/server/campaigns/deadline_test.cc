// Campaigns past their deadline: what is still leased, what counts, how they end.
#include "common/base/sha256.h"
#include "server/campaigns/controller.h"
#include "tests/unit/server/store/store_test.h"

namespace hone::test {
namespace {

class CampaignDeadline : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    add_target();
    add_worker();
  }
  CampaignStore& campaigns() { return store->campaigns(); }
  CampaignView begin(std::int64_t candidates, std::optional<std::int64_t> proposing = {}) {
    CampaignRequest request;
    request.target = "lz4";
    request.budget_candidates = 10;
    request.proposing_seconds = proposing;
    request.deadline_seconds = 3600;
    const CampaignView made = get(campaigns().create(request, std::nullopt, token)).view;
    if (candidates > 0) {
      get(campaigns().add_candidate_set(made.id, example_set(candidates)));
    }
    return made;
  }
  std::string finish_next(const AttemptResult& result) {
    const std::optional<Lease> lease = claim();
    if (!lease) {
      throw std::runtime_error("no job is queued");
    }
    done(store->jobs().complete(lease->attempt, token, result, sha256_hex("x")));
    return get(store->jobs().find(lease->job, SampleDetail::leave_out)).candidate;
  }
  // The hour is over.
  void pass_deadline() {
    sql("UPDATE campaigns SET deadline = now() - interval '1 second'");
    sql("UPDATE jobs SET deadline = now() - interval '1 second' WHERE deadline IS NOT NULL");
  }
  // One round of the controller.
  void advance() {
    for (const DueCampaign& due : get(campaigns().due())) {
      done(advance_campaign(*store, due));
    }
  }
};

TEST_F(CampaignDeadline, IsThatOfItsJobs) {
  const CampaignView made = begin(1);
  EXPECT_NE(made.deadline, "");
  finish_next(example_result(0.02));
  advance();
  EXPECT_EQ(sql("SELECT count(*) FROM jobs j JOIN campaigns c ON c.number = j.campaign "
                "WHERE j.deadline = c.deadline AND c.deadline > now() + interval '50 minutes'"),
            "2")
      << "race and confirmation";
}

TEST_F(CampaignDeadline, ComesFromTheTargetWhereTheRequestHasNone) {
  TargetSpec spec = example_target("slow");
  spec.tune.deadline_seconds = 7200;
  get(store->targets().put(spec, token));
  CampaignRequest request;
  request.target = "slow";
  request.budget_candidates = 1;
  const std::string by_target = get(campaigns().create(request, std::nullopt, token)).view.id;
  request.deadline_seconds = 60;
  const std::string by_request = get(campaigns().create(request, std::nullopt, token)).view.id;
  const auto seconds = [this](const std::string& id) {
    return sql(
        "SELECT extract(epoch FROM deadline - created_at)::integer FROM campaigns WHERE id = '" +
        id + "'");
  };
  EXPECT_EQ(seconds(by_target), "7200");
  EXPECT_EQ(seconds(by_request), "60");
  request.target = "lz4";
  request.deadline_seconds.reset();
  EXPECT_EQ(get(campaigns().create(request, std::nullopt, token)).view.deadline, "");
}

TEST_F(CampaignDeadline, PastItNothingIsBegunAndWhatRunsIsStopped) {
  const std::string id = begin(3, 3600).id;
  const std::string measured = finish_next(example_result(0.02));
  const std::optional<Lease> running = claim();
  ASSERT_TRUE(running);
  pass_deadline();
  EXPECT_FALSE(claim());
  get(store->jobs().sweep_queue());
  EXPECT_TRUE(get(store->jobs().heartbeat(running->attempt, token, 60)).cancelled);
  EXPECT_TRUE(get(campaigns().due()).empty()) << "what runs may still have a result";
  AttemptResult cancelled;
  cancelled.outcome = Outcome::cancelled;
  cancelled.reason = "told to";
  done(store->jobs().complete(running->attempt, token, cancelled, sha256_hex("y")));
  const JobView stopped = get(store->jobs().find(running->job, SampleDetail::leave_out));
  EXPECT_EQ(stopped.state, JobState::dead);
  EXPECT_TRUE(stopped.reason.starts_with("deadline: ")) << stopped.reason;
  EXPECT_EQ(error_of(store->jobs().retry(running->job)).code, ErrorCode::conflict);
  EXPECT_EQ(error_of(campaigns().add_candidate_set(id, example_set(1))).code, ErrorCode::conflict);

  advance();
  const CampaignView over = get(campaigns().find(id));
  EXPECT_EQ(over.state, CampaignState::finished);
  EXPECT_TRUE(over.reason.starts_with("deadline: it was not done by 20")) << over.reason;
  EXPECT_EQ(over.winner_candidate, "");
  EXPECT_EQ(over.best_candidate, measured) << "results stay";
  EXPECT_EQ(sql("SELECT count(*) FROM jobs WHERE stage = 'confirm'"), "0");
  EXPECT_TRUE(get(campaigns().due()).empty());
}

TEST_F(CampaignDeadline, AResultThatComesAllTheSameCounts) {
  const std::string id = begin(2).id;
  finish_next(example_result(0.01));
  const std::optional<Lease> running = claim();
  pass_deadline();
  // A budget that is over, too, ends nothing while a worker may still answer.
  sql("UPDATE campaigns SET budget_seconds = 10, racing_at = now() - interval '1 minute'");
  EXPECT_TRUE(get(campaigns().due()).empty());
  get(store->jobs().sweep_queue());
  done(store->jobs().complete(running->attempt, token, example_result(0.02), sha256_hex("x")));
  advance();
  const CampaignView over = get(campaigns().find(id));
  EXPECT_EQ(over.state, CampaignState::finished);
  EXPECT_EQ(over.best_race, example_result(0.02).reward);
  EXPECT_NE(over.reason.find("not confirmed by then"), std::string::npos) << over.reason;
}

TEST_F(CampaignDeadline, AWinnerThatWasConfirmedByThenIsPublished) {
  const std::string id = begin(1).id;
  finish_next(example_result(0.05));
  advance();
  const std::string winner = finish_next(example_result(0.03));
  pass_deadline();
  get(store->jobs().sweep_queue());
  advance();
  const CampaignView over = get(campaigns().find(id));
  EXPECT_EQ(over.state, CampaignState::finished);
  EXPECT_EQ(over.winner_candidate, winner);
  EXPECT_EQ(over.policy_version, 1);
}

TEST_F(CampaignDeadline, AConfirmationThatIsStoppedConfirmsNothing) {
  const std::string id = begin(1).id;
  finish_next(example_result(0.05));
  advance();
  pass_deadline();
  get(store->jobs().sweep_queue());
  advance();
  const CampaignView over = get(campaigns().find(id));
  EXPECT_EQ(over.state, CampaignState::finished);
  EXPECT_EQ(over.winner_candidate, "");
  EXPECT_TRUE(over.reason.starts_with("deadline: ")) << over.reason;
}

TEST_F(CampaignDeadline, ThePolicyInForceIsNotMeasuredAnyMore) {
  NewPolicy promoted;
  promoted.target = "lz4";
  promoted.document = R"({"format":1,"target":"lz4","rules":[]})";
  promoted.promotion = Promotion::promote;
  get(store->policies().publish(promoted));
  const std::string id = begin(1).id;
  finish_next(example_result(0.05));
  advance();
  finish_next(example_result(0.03));
  pass_deadline();
  get(store->jobs().sweep_queue());
  advance();
  const CampaignView over = get(campaigns().find(id));
  EXPECT_EQ(over.state, CampaignState::finished);
  EXPECT_EQ(over.winner_candidate, "");
  EXPECT_NE(over.reason.find("policy version 1 in force was not measured by then"),
            std::string::npos)
      << over.reason;
  EXPECT_EQ(sql("SELECT count(*) FROM jobs WHERE stage = 'confirm'"), "1");
}

TEST_F(CampaignDeadline, WithoutACandidateItFails) {
  const std::string id = begin(0).id;
  EXPECT_TRUE(get(campaigns().due()).empty());
  pass_deadline();
  advance();
  const CampaignView over = get(campaigns().find(id));
  EXPECT_EQ(over.state, CampaignState::failed);
  EXPECT_TRUE(over.reason.starts_with("deadline: ")) << over.reason;
}

}  // namespace
}  // namespace hone::test
