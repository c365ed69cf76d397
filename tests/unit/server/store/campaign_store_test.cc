#include <set>

#include "common/base/sha256.h"
#include "server/store/audited_store.h"
#include "tests/unit/server/store/store_test.h"

namespace hone::test {
namespace {

class CampaignStoreTest : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    add_target();
    add_worker();
  }
  CampaignStore& campaigns() { return store->campaigns(); }
  // Takes the next job and completes it; gives its candidate.
  std::string finish_next(const AttemptResult& result) {
    const std::optional<Lease> lease = claim();
    if (!lease) {
      throw std::runtime_error("no job is queued");
    }
    done(store->jobs().complete(lease->attempt, token, result, sha256_hex("x")));
    return get(store->jobs().find(lease->job, SampleDetail::leave_out)).candidate;
  }
  NewPolicy policy() {
    NewPolicy made;
    made.document = R"({"format":1,"rules":[]})";
    return made;
  }
};

TEST_F(CampaignStoreTest, BeginsWaiting) {
  CampaignRequest request;
  request.target = "lz4";
  request.budget_candidates = 20;
  request.budget_seconds = 600;
  request.seed = 18446744073709551615U;
  request.baseline = BaselineKind::own;
  const CampaignView view = get(campaigns().create(request, std::nullopt, token)).view;
  EXPECT_EQ(view.target, "lz4");
  EXPECT_EQ(view.state, CampaignState::waiting);
  EXPECT_EQ(view.baseline, BaselineKind::own);
  EXPECT_EQ(view.seed, request.seed);
  EXPECT_EQ(view.budget_candidates, 20);
  EXPECT_EQ(view.budget_seconds, 600);
  EXPECT_EQ(view.finished_at, "");
  EXPECT_TRUE(get(campaigns().due()).empty());
}

TEST_F(CampaignStoreTest, NamesAnUnknownTarget) {
  CampaignRequest request;
  request.target = "nothing";
  request.budget_candidates = 1;
  const Error error = error_of(campaigns().create(request, std::nullopt, token));
  EXPECT_EQ(error.code, ErrorCode::invalid_argument);
  EXPECT_EQ(error.fields.at(0).pointer, "/target");
}

TEST_F(CampaignStoreTest, TheSameKeyMakesOneCampaign) {
  CampaignRequest request;
  request.target = "lz4";
  request.budget_candidates = 1;
  const IdempotencyKey key{"k", sha256_hex("body")};
  const CreatedCampaign first = get(campaigns().create(request, key, token));
  const CreatedCampaign second = get(campaigns().create(request, key, token));
  EXPECT_FALSE(first.replayed);
  EXPECT_TRUE(second.replayed);
  EXPECT_EQ(first.view.id, second.view.id);
  const IdempotencyKey other{"k", sha256_hex("other")};
  EXPECT_EQ(error_of(campaigns().create(request, other, token)).code, ErrorCode::conflict);
}

TEST_F(CampaignStoreTest, ASetIsKeptWholeAndTheBudgetCutsItsJobs) {
  CampaignRequest request;
  request.target = "lz4";
  request.budget_candidates = 3;
  request.priority = 9;
  const std::string id = get(campaigns().create(request, std::nullopt, token)).view.id;
  const CandidateSet set = example_set(5);
  const AddedCandidateSet added = get(campaigns().add_candidate_set(id, set));
  EXPECT_EQ(added.candidates.size(), 5U);
  EXPECT_EQ(added.jobs.size(), 3U);
  const std::vector<CandidateView> stored = get(campaigns().candidates(id));
  ASSERT_EQ(stored.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(stored[i].candidate.id, added.candidates[i].id);
    EXPECT_EQ(stored[i].candidate.index, static_cast<std::int64_t>(i));
    EXPECT_EQ(stored[i].candidate.note, set.candidates[i].note);
    EXPECT_EQ(stored[i].candidate.log_propensity, set.candidates[i].log_propensity);
    EXPECT_EQ(stored[i].candidate.rules, set.candidates[i].rules);
    EXPECT_EQ(stored[i].set, added.id);
    EXPECT_EQ(stored[i].race.has_value(), i < 3);
    EXPECT_FALSE(stored[i].confirm);
  }
  const CampaignView view = get(campaigns().find(id));
  EXPECT_EQ(view.state, CampaignState::racing);
  EXPECT_EQ(view.candidates, 5);
  EXPECT_EQ(view.unfinished, 3);
  const JobView job = get(store->jobs().find(added.jobs[0], SampleDetail::leave_out));
  EXPECT_EQ(job.campaign, id);
  EXPECT_EQ(job.candidate, added.candidates[0].id);
  EXPECT_EQ(job.stage, Stage::race);
  EXPECT_EQ(job.priority, 9);
  EXPECT_EQ(job.rules, set.candidates[0].rules);
  EXPECT_EQ(job.note, set.candidates[0].note);
  EXPECT_EQ(job.origin, "knob");
  // The budget is used up.
  EXPECT_EQ(error_of(campaigns().add_candidate_set(id, set)).code, ErrorCode::conflict);
  EXPECT_EQ(get(campaigns().find(id)).candidates, 5);
}

TEST_F(CampaignStoreTest, ASetUnderOneKeyIsAddedOnce) {
  CampaignRequest request;
  request.target = "lz4";
  request.budget_candidates = 2;
  const std::string id = get(campaigns().create(request, std::nullopt, token)).view.id;
  const IdempotencyKey key{"k", sha256_hex("set")};
  const AddedCandidateSet first =
      get(campaigns().add_candidate_set(id, example_set(2), key, token));
  const AddedCandidateSet again =
      get(campaigns().add_candidate_set(id, example_set(2), key, token));
  EXPECT_FALSE(first.replayed);
  EXPECT_TRUE(again.replayed);
  EXPECT_EQ(again.id, first.id);
  ASSERT_EQ(again.candidates.size(), 2U);
  EXPECT_EQ(again.candidates[1].id, first.candidates[1].id);
  EXPECT_EQ(again.candidates[1].index, 1);
  EXPECT_EQ(again.jobs, first.jobs);
  EXPECT_EQ(sql("SELECT count(*) FROM candidates"), "2");
  const IdempotencyKey other{key.key, sha256_hex("another set")};
  EXPECT_EQ(error_of(campaigns().add_candidate_set(id, example_set(1), other, token)).code,
            ErrorCode::conflict);
  // The key of another campaign's set is another key.
  const std::string second = get(campaigns().create(request, std::nullopt, token)).view.id;
  EXPECT_FALSE(get(campaigns().add_candidate_set(second, example_set(2), key, token)).replayed);
}

TEST_F(CampaignStoreTest, RefusesASetThatIsWrongAndNamesAllOfIt) {
  CandidateSet set = example_set(3);
  set.candidates[1].index = 7;
  set.candidates[2].log_propensity = 0.5;
  const std::string id = race(1, 10);
  const Error error = error_of(campaigns().add_candidate_set(id, set));
  EXPECT_EQ(error.code, ErrorCode::invalid_argument);
  ASSERT_EQ(error.fields.size(), 2U);
  EXPECT_EQ(error.fields[0].pointer, "/candidates/1/index");
  EXPECT_EQ(error.fields[1].pointer, "/candidates/2/log_propensity");
}

TEST_F(CampaignStoreTest, WhatItsDeadlineLeftOutIsLateAndNeitherMeasuredNorFailed) {
  const std::string id = race(4);
  finish_next(example_result(0.01));
  sql("UPDATE jobs SET max_attempts = 1");
  get(store->jobs().hand_back(claim()->attempt, token, HandBack{"no", true}));
  sql("UPDATE jobs SET deadline = now() - interval '1 second' WHERE state = 'queued'");
  EXPECT_EQ(get(store->jobs().sweep_queue()).late, 2);
  const CampaignView view = get(campaigns().find(id));
  EXPECT_EQ(view.finished, 2);
  EXPECT_EQ(view.failed, 1) << "its attempts were used up";
  EXPECT_EQ(view.late, 2);
  EXPECT_EQ(view.unfinished, 0);
}

TEST_F(CampaignStoreTest, CountsResultsAndKnowsTheBest) {
  const std::string id = race(4);
  finish_next(example_result(0.01));
  const std::string best = finish_next(example_result(0.03));
  finish_next(failed_result(Outcome::build_failed, "does not link"));
  const CampaignView view = get(campaigns().find(id));
  EXPECT_EQ(view.finished, 3);
  EXPECT_EQ(view.failed, 1);
  EXPECT_EQ(view.unfinished, 1);
  EXPECT_EQ(view.best_candidate, best);
  EXPECT_EQ(view.best_race, example_result(0.03).reward);
  EXPECT_EQ(view.winner_candidate, "");
  EXPECT_FALSE(view.confirmed);
}

TEST_F(CampaignStoreTest, IsDueWhenItsRaceIsOver) {
  const std::string id = race(2);
  finish_next(example_result());
  EXPECT_TRUE(get(campaigns().due()).empty());
  finish_next(example_result());
  const std::vector<DueCampaign> due = get(campaigns().due());
  ASSERT_EQ(due.size(), 1U);
  EXPECT_EQ(due[0].id, id);
  EXPECT_EQ(due[0].target, "lz4");
  EXPECT_EQ(due[0].state, CampaignState::racing);
  EXPECT_FALSE(due[0].time_is_up);
}

TEST_F(CampaignStoreTest, IsDueWhenItsTimeIsUp) {
  CampaignRequest request;
  request.target = "lz4";
  request.budget_seconds = 10;
  const std::string id = get(campaigns().create(request, std::nullopt, token)).view.id;
  const AddedCandidateSet added = get(campaigns().add_candidate_set(id, example_set(5)));
  EXPECT_EQ(added.jobs.size(), 5U);
  EXPECT_TRUE(get(campaigns().due()).empty());
  sql("UPDATE campaigns SET racing_at = now() - interval '11 seconds'");
  ASSERT_EQ(get(campaigns().due()).size(), 1U);
  EXPECT_TRUE(get(campaigns().due())[0].time_is_up);
}

TEST_F(CampaignStoreTest, WaitsForItsProposerAsLongAsItWasAskedTo) {
  CampaignRequest request;
  request.target = "lz4";
  request.budget_candidates = 3;
  request.proposing_seconds = 60;
  const CampaignView made = get(campaigns().create(request, std::nullopt, token)).view;
  EXPECT_EQ(made.proposing_seconds, 60);
  get(campaigns().add_candidate_set(made.id, example_set(1)));
  finish_next(example_result());
  EXPECT_TRUE(get(campaigns().due()).empty());
  // Nothing came.
  sql("UPDATE jobs SET finished_at = now() - interval '61 seconds'");
  EXPECT_EQ(get(campaigns().due()).size(), 1U);
  // A set that comes late, but before the campaign went on, is raced all the same.
  get(campaigns().add_candidate_set(made.id, example_set(1)));
  EXPECT_TRUE(get(campaigns().due()).empty());
  finish_next(example_result());
  EXPECT_TRUE(get(campaigns().due()).empty());
  // Behind the last set that the budget allows its proposer has still to say what is confirmed.
  get(campaigns().add_candidate_set(made.id, example_set(1)));
  finish_next(example_result());
  EXPECT_TRUE(get(campaigns().due()).empty());
  get(campaigns().close(made.id));
  EXPECT_EQ(get(campaigns().due()).size(), 1U);
}

TEST_F(CampaignStoreTest, AClosedCampaignTakesNoMoreSetsAndGoesOn) {
  CampaignRequest request;
  request.target = "lz4";
  request.budget_candidates = 10;
  request.proposing_seconds = 3600;
  const std::string id = get(campaigns().create(request, std::nullopt, token)).view.id;
  EXPECT_EQ(error_of(campaigns().close(id)).code, ErrorCode::conflict) << "nothing was proposed";
  get(campaigns().add_candidate_set(id, example_set(1)));
  EXPECT_FALSE(get(campaigns().find(id)).closed);
  EXPECT_TRUE(get(campaigns().close(id)).closed);
  EXPECT_TRUE(get(campaigns().close(id)).closed);
  EXPECT_EQ(error_of(campaigns().add_candidate_set(id, example_set(1))).code, ErrorCode::conflict);
  EXPECT_TRUE(get(campaigns().due()).empty()) << "its race goes on";
  finish_next(example_result());
  EXPECT_EQ(get(campaigns().due()).size(), 1U);
}

TEST_F(CampaignStoreTest, KnowsWhichCandidatesWereNamedForTheFinal) {
  const std::string other = race(1);
  const std::string id = race(3);
  const std::vector<CandidateView> before = get(campaigns().candidates(id));
  const std::string first = before[2].candidate.id;
  const std::string second = before[0].candidate.id;
  get(campaigns().name_finalists(id, {second}));
  get(campaigns().name_finalists(id, {first, second}));
  std::vector<std::optional<std::int64_t>> places;
  for (const CandidateView& view : get(campaigns().candidates(id))) {
    places.push_back(view.finalist);
  }
  EXPECT_EQ(places, (std::vector<std::optional<std::int64_t>>{2, std::nullopt, 1}));
  const std::string foreign = get(campaigns().candidates(other))[0].candidate.id;
  const Error error = error_of(campaigns().name_finalists(id, {first, foreign}));
  EXPECT_EQ(error.code, ErrorCode::invalid_argument);
  ASSERT_EQ(error.fields.size(), 1U);
  EXPECT_EQ(error.fields[0].pointer, "/candidates/1");
  for (int i = 0; i < 4; ++i) {
    finish_next(example_result());
  }
  EXPECT_EQ(get(campaigns().begin_confirming(id)), RaceEnd::measured);
  EXPECT_EQ(error_of(campaigns().name_finalists(id, {first})).code, ErrorCode::conflict);
}

TEST_F(CampaignStoreTest, WhatIsAsItWasLeavesNothingInTheAuditLog) {
  CampaignRequest request;
  request.target = "lz4";
  request.budget_candidates = 2;
  request.proposing_seconds = 60;
  const std::string id = get(campaigns().create(request, std::nullopt, token)).view.id;
  const auto logged = [&](const std::string& action, auto change) {
    const std::string before = sql("SELECT count(*) FROM audit_log");
    AuditedStore audited(*store, {.token = token, .action = action, .kind = "x", .object = id});
    const auto changed = run_on(context, change(audited));
    EXPECT_TRUE(changed) << action;
    return std::stoll(sql("SELECT count(*) FROM audit_log")) - std::stoll(before);
  };
  const IdempotencyKey key{"k", sha256_hex("set")};
  const auto add = [&](AuditedStore& audited) {
    return audited.campaigns().add_candidate_set(id, example_set(1), key, token);
  };
  EXPECT_EQ(logged("candidate_set.add", add), 1);
  EXPECT_EQ(logged("candidate_set.add", add), 0);
  const std::string job = sql("SELECT id FROM jobs");
  EXPECT_EQ(logged("job.retry", [&](AuditedStore& audited) { return audited.jobs().retry(job); }),
            0);
  const auto close = [&](AuditedStore& audited) { return audited.campaigns().close(id); };
  EXPECT_EQ(logged("campaign.close", close), 1);
  EXPECT_EQ(logged("campaign.close", close), 0);
}

TEST_F(CampaignStoreTest, ConfirmingEndsTheRace) {
  const std::string id = race(3);
  EXPECT_EQ(error_of(campaigns().begin_confirming(id)).code, ErrorCode::conflict) << "it goes on";
  sql("UPDATE campaigns SET budget_seconds = 10, racing_at = now() - interval '1 minute'");
  finish_next(example_result(0.02));
  const std::optional<Lease> running = claim();
  EXPECT_EQ(get(campaigns().begin_confirming(id)), RaceEnd::stopping);
  EXPECT_EQ(get(campaigns().find(id)).state, CampaignState::confirming);
  EXPECT_TRUE(get(store->jobs().heartbeat(running->attempt, token, 60)).cancelled);
  EXPECT_FALSE(claim());
  // Nothing is confirmed before the last of them has answered: it may have a result.
  EXPECT_TRUE(get(campaigns().due()).empty());
  done(store->jobs().complete(running->attempt, token, example_result(0.03), sha256_hex("x")));
  ASSERT_EQ(get(campaigns().due()).size(), 1U);
  EXPECT_EQ(get(campaigns().due())[0].state, CampaignState::confirming);
  EXPECT_EQ(get(campaigns().find(id)).best_race, example_result(0.03).reward);
  // A step is taken once.
  EXPECT_EQ(error_of(campaigns().begin_confirming(id)).code, ErrorCode::conflict);
  EXPECT_EQ(error_of(campaigns().add_candidate_set(id, example_set(1))).code, ErrorCode::conflict);
}

TEST_F(CampaignStoreTest, AWinnerIsConfirmedAndItsPolicyPublishedWithIt) {
  const std::string id = race(2, 2, 50);
  const std::string first = finish_next(example_result(0.02));
  const std::string second = finish_next(example_result(0.05));
  EXPECT_EQ(error_of(campaigns().submit_confirm(id, second)).code, ErrorCode::conflict);
  EXPECT_EQ(get(campaigns().begin_confirming(id)), RaceEnd::measured);
  const std::string job = get(campaigns().submit_confirm(id, second));
  EXPECT_EQ(get(campaigns().submit_confirm(id, second)), job);
  EXPECT_TRUE(get(campaigns().due()).empty());
  const JobView view = get(store->jobs().find(job, SampleDetail::leave_out));
  EXPECT_EQ(view.stage, Stage::confirm);
  EXPECT_EQ(view.priority, 50);
  EXPECT_EQ(error_of(campaigns().finish_with_winner(id, second, policy())).code,
            ErrorCode::conflict);
  EXPECT_EQ(finish_next(example_result(0.015)), second);
  EXPECT_EQ(get(campaigns().due()).at(0).state, CampaignState::confirming);
  // Another's reward is not this one's.
  EXPECT_EQ(error_of(campaigns().finish_with_winner(id, first, policy())).code,
            ErrorCode::conflict);
  EXPECT_EQ(sql("SELECT count(*) FROM policies"), "0");

  const CampaignView won = get(campaigns().finish_with_winner(id, second, policy()));
  EXPECT_EQ(won.state, CampaignState::finished);
  EXPECT_EQ(won.winner_candidate, second);
  EXPECT_EQ(won.confirmed, example_result(0.015).reward);
  EXPECT_EQ(won.best_race, example_result(0.05).reward);
  EXPECT_EQ(won.policy_version, 1);
  EXPECT_NE(won.finished_at, "");
  const PolicyVersion version = get(store->policies().versions("lz4")).at(0);
  EXPECT_EQ(version.campaign, id);
  EXPECT_EQ(version.candidate, second);
  EXPECT_EQ(version.created_by, "honed");
  EXPECT_TRUE(get(campaigns().due()).empty());
  EXPECT_EQ(error_of(campaigns().finish_with_winner(id, second, policy())).code,
            ErrorCode::conflict);
  EXPECT_EQ(get(store->policies().versions("lz4")).size(), 1U);
  const CandidateView candidate = get(campaigns().candidate(second));
  EXPECT_EQ(candidate.race->reward, example_result(0.05).reward);
  EXPECT_EQ(candidate.confirm->reward, example_result(0.015).reward);
  EXPECT_EQ(candidate.confirm->verdict, Verdict::faster);
}

TEST_F(CampaignStoreTest, APolicyThatCannotBePublishedLeavesTheCampaignAsItWas) {
  const std::string id = race(1);
  const std::string candidate = finish_next(example_result());
  EXPECT_EQ(get(campaigns().begin_confirming(id)), RaceEnd::measured);
  get(campaigns().submit_confirm(id, candidate));
  finish_next(example_result());
  NewPolicy broken = policy();
  broken.document = "not json";
  EXPECT_EQ(error_of(campaigns().finish_with_winner(id, candidate, broken)).code,
            ErrorCode::invalid_argument);
  EXPECT_EQ(get(campaigns().find(id)).state, CampaignState::confirming);
}

TEST_F(CampaignStoreTest, FinishesWithoutAWinner) {
  const std::string id = race(1);
  finish_next(failed_result(Outcome::timed_out, "too slow"));
  const CampaignView view = get(campaigns().finish_without_winner(id, "nothing was faster"));
  EXPECT_EQ(view.state, CampaignState::finished);
  EXPECT_EQ(view.reason, "nothing was faster");
  EXPECT_EQ(view.winner_candidate, "");
  EXPECT_FALSE(view.policy_version);
}

TEST_F(CampaignStoreTest, FailsFromAnyUnfinishedState) {
  CampaignRequest request;
  request.target = "lz4";
  request.budget_candidates = 1;
  const std::string waiting = get(campaigns().create(request, std::nullopt, token)).view.id;
  EXPECT_EQ(get(campaigns().fail(waiting, "no proposer")).state, CampaignState::failed);
  const std::string racing = race(2);
  EXPECT_EQ(get(campaigns().fail(racing, "broken")).unfinished, 0);
  EXPECT_EQ(error_of(campaigns().fail(racing, "again")).code, ErrorCode::conflict);
}

TEST_F(CampaignStoreTest, CancellingKeepsWhatWasMeasured) {
  const std::string id = race(3);
  finish_next(example_result(0.02));
  const std::optional<Lease> running = claim();
  const CampaignView view = get(campaigns().cancel(id));
  EXPECT_EQ(view.state, CampaignState::cancelled);
  EXPECT_EQ(view.finished, 1);
  EXPECT_EQ(view.best_race, example_result(0.02).reward);
  EXPECT_FALSE(claim());
  EXPECT_TRUE(get(store->jobs().heartbeat(running->attempt, token, 60)).cancelled);
  EXPECT_EQ(get(campaigns().cancel(id)).state, CampaignState::cancelled);
}

TEST_F(CampaignStoreTest, ListsByTargetAndStateInPages) {
  add_target("zlib");
  for (int i = 0; i < 3; ++i) {
    race(1);
  }
  CampaignRequest request;
  request.target = "zlib";
  request.budget_candidates = 1;
  const std::string newest = get(campaigns().create(request, std::nullopt, token)).view.id;
  EXPECT_EQ(get(campaigns().list({.target = "zlib"}, PageRequest{})).items.at(0).id, newest);
  EXPECT_EQ(get(campaigns().list({.state = CampaignState::racing}, PageRequest{})).items.size(),
            3U);
  std::set<std::string> seen;
  PageRequest page;
  page.limit = 3;
  do {
    const Page<CampaignView> list = get(campaigns().list({}, page));
    for (const CampaignView& view : list.items) {
      seen.insert(view.id);
    }
    page.cursor = list.next_cursor;
  } while (!page.cursor.empty());
  EXPECT_EQ(seen.size(), 4U);
}

TEST_F(CampaignStoreTest, UnknownIdsAreNotFound) {
  for (const std::string& id :
       {std::string("00000000-0000-0000-0000-000000000000"), std::string("x")}) {
    EXPECT_EQ(error_of(campaigns().find(id)).code, ErrorCode::not_found);
    EXPECT_EQ(error_of(campaigns().cancel(id)).code, ErrorCode::not_found);
    EXPECT_EQ(error_of(campaigns().candidates(id)).code, ErrorCode::not_found);
    EXPECT_EQ(error_of(campaigns().candidate(id)).code, ErrorCode::not_found);
    EXPECT_EQ(error_of(campaigns().add_candidate_set(id, example_set(1))).code,
              ErrorCode::not_found);
    EXPECT_EQ(error_of(campaigns().begin_confirming(id)).code, ErrorCode::not_found);
  }
  const std::string id = race(1);
  finish_next(example_result());
  EXPECT_EQ(get(campaigns().begin_confirming(id)), RaceEnd::measured);
  EXPECT_EQ(error_of(campaigns().submit_confirm(id, "x")).code, ErrorCode::not_found);
}

}  // namespace
}  // namespace hone::test
