// Steps of campaigns that were due a moment ago, and whose jobs or candidates changed since.
#include "server/campaigns/controller.h"

#include "common/base/sha256.h"
#include "tests/unit/server/store/store_test.h"

namespace hone::test {
namespace {

class CampaignController : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    add_target();
    add_worker();
  }
  CampaignStore& campaigns() { return store->campaigns(); }
  std::string begin(std::int64_t candidates, std::optional<std::int64_t> proposing = {}) {
    CampaignRequest request;
    request.target = "lz4";
    request.budget_candidates = 10;
    request.proposing_seconds = proposing;
    const std::string id = get(campaigns().create(request, std::nullopt, token)).view.id;
    if (candidates > 0) {
      get(campaigns().add_candidate_set(id, example_set(candidates)));
    }
    return id;
  }
  std::string complete(const Lease& lease, const AttemptResult& result) {
    done(store->jobs().complete(lease.attempt, token, result, sha256_hex("x")));
    return get(store->jobs().find(lease.job, SampleDetail::leave_out)).candidate;
  }
  std::string finish_next(const AttemptResult& result) { return complete(*claim(), result); }
  // The next job is dead; gives its id.
  std::string lose_next() {
    const std::optional<Lease> lease = claim();
    sql("UPDATE jobs SET max_attempts = 1 WHERE id = '" + lease->job + "'");
    get(store->jobs().hand_back(lease->attempt, token, HandBack{"disk full", true}));
    return lease->job;
  }
  DueCampaign only_due() {
    const std::vector<DueCampaign> due = get(campaigns().due());
    EXPECT_EQ(due.size(), 1U);
    return due.empty() ? DueCampaign{} : due.front();
  }
  void advance() { done(advance_campaign(*store, only_due())); }
  CampaignState state(const std::string& id) { return get(campaigns().find(id)).state; }
  std::string unfinished(const std::string& stage) {
    return sql("SELECT count(*) FROM jobs WHERE state IN ('queued', 'leased') AND stage = '" +
               stage + "'");
  }
};

TEST_F(CampaignController, ASetThatCameSinceIsRacedBeforeAnythingIsConfirmed) {
  const std::string id = begin(1, 60);
  finish_next(example_result(0.02));
  sql("UPDATE jobs SET finished_at = now() - interval '61 seconds'");
  const DueCampaign due = only_due();
  get(campaigns().add_candidate_set(id, example_set(2)));
  done(advance_campaign(*store, due));
  EXPECT_EQ(state(id), CampaignState::racing);
  EXPECT_EQ(unfinished("race"), "2");
  EXPECT_EQ(unfinished("confirm"), "0");
}

TEST_F(CampaignController, AJobThatIsTriedAgainSinceIsRacedBeforeAnythingIsConfirmed) {
  const std::string id = begin(2);
  finish_next(example_result(0.02));
  const std::string dead = lose_next();
  const DueCampaign due = only_due();
  get(store->jobs().retry(dead));
  done(advance_campaign(*store, due));
  EXPECT_EQ(state(id), CampaignState::racing);
  EXPECT_EQ(unfinished("race"), "1");
  finish_next(example_result(0.03));
  advance();
  EXPECT_EQ(unfinished("confirm"), "1");
}

TEST_F(CampaignController, ACandidateThatCannotBeReadIsNoReasonToEndAnything) {
  const std::string id = begin(1);
  finish_next(example_result(0.02));
  sql("UPDATE candidates SET rules = '[7]'");
  const Result<void> step = run_on(context, advance_campaign(*store, only_due()));
  ASSERT_FALSE(step);
  EXPECT_EQ(step.error().code, ErrorCode::internal);
  EXPECT_EQ(state(id), CampaignState::confirming) << "a newer release may go on with it";
}

TEST_F(CampaignController, WhoHasTheCampaignLockedIsWaitedFor) {
  const std::string id = begin(2);
  finish_next(example_result(0.02));
  const std::string dead = lose_next();
  const std::unique_ptr<PgConnection> other = begin_other(
      "SELECT FROM campaigns FOR SHARE; UPDATE jobs SET state = 'queued', reason = '', "
      "attempts_counted = 0, finished_at = NULL WHERE id = '" +
      dead + "'");
  const Result<RaceEnd> begun = overlapping(*other, campaigns().begin_confirming(id));
  ASSERT_FALSE(begun);
  EXPECT_EQ(begun.error().code, ErrorCode::conflict);
  EXPECT_EQ(state(id), CampaignState::racing);
  EXPECT_EQ(unfinished("race"), "1");
}

TEST_F(CampaignController, NothingIsConfirmedWhileARaceJobIsLeased) {
  const std::string id = begin(1, 60);
  finish_next(example_result(0.02));
  sql("UPDATE jobs SET finished_at = now() - interval '61 seconds'");
  const DueCampaign due = only_due();
  EXPECT_FALSE(due.time_is_up);
  get(campaigns().add_candidate_set(id, example_set(1)));
  const std::optional<Lease> running = claim();
  ASSERT_TRUE(running);
  sql("UPDATE campaigns SET budget_seconds = 10, racing_at = now() - interval '1 minute'");
  done(advance_campaign(*store, due));
  EXPECT_EQ(state(id), CampaignState::confirming);
  EXPECT_EQ(unfinished("confirm"), "0");
  const std::string best = complete(*running, example_result(0.05));
  advance();
  EXPECT_EQ(unfinished("confirm"), "1");
  EXPECT_EQ(finish_next(example_result(0.04)), best);
}

TEST_F(CampaignController, AConfirmationThatIsTriedAgainIsNotEndedWithItsCampaign) {
  const std::string id = begin(1);
  finish_next(example_result(0.02));
  advance();
  const std::string dead = lose_next();
  EXPECT_EQ(only_due().state, CampaignState::confirming);
  get(store->jobs().retry(dead));
  EXPECT_EQ(error_of(campaigns().finish_without_winner(id, "it was not confirmed")).code,
            ErrorCode::conflict);
  EXPECT_EQ(unfinished("confirm"), "1");
  finish_next(example_result(0.02));
  advance();
  EXPECT_EQ(get(campaigns().find(id)).policy_version, 1);
}

TEST_F(CampaignController, AProposerThatSendsNoFirstSetIsGivenUp) {
  const std::string patient = begin(0);
  const std::string id = begin(0, 60);
  EXPECT_TRUE(get(campaigns().due()).empty());
  sql("UPDATE campaigns SET created_at = now() - interval '61 seconds'");
  const DueCampaign due = only_due();
  EXPECT_EQ(due.id, id);
  EXPECT_EQ(due.state, CampaignState::waiting);
  done(advance_campaign(*store, due));
  const CampaignView over = get(campaigns().find(id));
  EXPECT_EQ(over.state, CampaignState::failed);
  EXPECT_EQ(over.reason, "its proposer sent no candidate set within 60 s");
  EXPECT_EQ(state(patient), CampaignState::waiting);
  EXPECT_TRUE(get(campaigns().due()).empty());
}

TEST_F(CampaignController, AFirstSetThatCameSinceIsRaced) {
  const std::string id = begin(0, 60);
  sql("UPDATE campaigns SET created_at = now() - interval '61 seconds'");
  const DueCampaign due = only_due();
  get(campaigns().add_candidate_set(id, example_set(2)));
  done(advance_campaign(*store, due));
  EXPECT_EQ(state(id), CampaignState::racing);
  EXPECT_EQ(unfinished("race"), "2");
}

}  // namespace
}  // namespace hone::test
