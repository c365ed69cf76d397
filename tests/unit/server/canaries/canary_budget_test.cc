// What canaries may spend of a service's error budget, with a real store and a made-up service.
#include "tests/unit/server/canaries/canary_controller_test.h"

namespace hone::test {
namespace {

TEST_F(CanaryControllerTest, ABudgetThatIsSpentMeanwhileEndsItInTheNextDecision) {
  describe({.good_share = 0.99});
  get(store->policies().promote("shop", 1));
  const std::string id =
      begin({.steps = {5, 50}, .step_windows = 3, .most_windows = 60}, publish());
  pass(15);
  ASSERT_EQ(state(id), CanaryState::ramping);
  service.everywhere.failures =
      0.5;   // nobody's fault, and the canary's no more than the baseline's
  pass(12);  // a window, and until its last scrape is there
  EXPECT_EQ(state(id), CanaryState::rolled_back) << view(id).status.reason;
  EXPECT_EQ(view(id).status.cause, CanaryCause::budget);
  service.everywhere = {};
  // Nothing else is tried or put in force: what builds are given is what is known to be good.
  const std::string next = begin({.steps = {5, 50}, .step_windows = 3, .most_windows = 60}, 2);
  pass(12);
  EXPECT_EQ(state(next), CanaryState::prepared);
  const Result<PolicyVersion> by_hand = run_on(context, store->policies().promote("shop", 2));
  ASSERT_FALSE(by_hand);
  EXPECT_NE(by_hand.error().message.find("budget"), std::string::npos) << by_hand.error().message;
  EXPECT_EQ(in_force(), 1);
  EXPECT_TRUE(reaches(next, CanaryState::ramping, 90)) << "the window has moved on";
  EXPECT_TRUE(run_on(context, store->policies().promote("shop", 2)));
}

TEST_F(CanaryControllerTest, ACanarysBudgetIsOfTheServiceAsItWasDescribed) {
  const std::string id = begin();
  pass(15);
  EXPECT_FALSE(get(store->services().list({}, {})).items.front().budget.is_null());
  describe({.good_share = 0.99});
  pass(15);
  ASSERT_EQ(state(id), CanaryState::ramping);
  EXPECT_TRUE(get(store->services().list({}, {})).items.front().budget.is_null())
      << "it is asked by the objective of before";
}

TEST_F(CanaryControllerTest, ABudgetThatNobodyKnowsWithdrawsIt) {
  const std::string id = begin();
  pass(15);
  ASSERT_EQ(state(id), CanaryState::ramping);
  service.budget_unreachable = true;
  pass(20);
  EXPECT_FALSE(last);
  EXPECT_EQ(state(id), CanaryState::ramping) << "for a while it is asked for again";
  ASSERT_TRUE(reaches(id, CanaryState::rolled_back, 80)) << view(id).status.reason;
  EXPECT_EQ(view(id).status.cause, CanaryCause::budget);
  EXPECT_NE(view(id).status.reason.find("nobody knows"), std::string::npos);
  pass(1);
  EXPECT_EQ(service.share, 0);
}

TEST_F(CanaryControllerTest, BudgetsAreWatchedWithoutACanary) {
  describe({.good_share = 0.99});
  service.everywhere.failures = 0.5;
  for (int i = 0; i < 30; ++i) {
    service.serve();
  }
  BudgetWatch watch(*store, world());
  const auto listed = [&] { return get(store->services().list({}, {})).items.front(); };
  EXPECT_TRUE(listed().budget.is_null());
  service.unreachable = true;
  get(watch.tick());
  EXPECT_TRUE(listed().budget.is_null()) << "not told is not known";
  sql("UPDATE services SET asked_at = NULL");
  service.unreachable = false;
  get(watch.tick());
  EXPECT_TRUE(listed().budget["spent"].get<bool>());
  EXPECT_FALSE(listed().budget_at.empty());
  EXPECT_EQ(get(store->operations().canary_gauges()).budgets_spent, 1);
  service.everywhere = {};
  for (int i = 0; i < 70; ++i) {
    service.serve();
  }
  get(watch.tick());
  EXPECT_TRUE(listed().budget["spent"].get<bool>()) << "asked for a moment ago";
  sql("UPDATE services SET asked_at = now() - interval '1 minute'");
  get(watch.tick());
  EXPECT_FALSE(listed().budget["spent"].get<bool>());
  describe({});
  EXPECT_TRUE(listed().budget.is_null()) << "another objective, another budget";
}

TEST_F(CanaryControllerTest, WhatWasToldOfAnotherDescriptionIsNotNoted) {
  describe({.good_share = 0.99});
  const UnaskedService asked = get(store->services().take_unasked(30)).front();
  describe({.good_share = 0.9});
  const auto budget = [&] { return get(store->services().list({}, {})).items.front().budget; };
  get(store->services().note_budget(asked, Json{{"spent", true}}));
  EXPECT_TRUE(budget().is_null());
  const UnaskedService again = get(store->services().take_unasked(30)).front();
  get(store->services().note_budget(again, Json{{"spent", true}}));
  EXPECT_TRUE(budget()["spent"].get<bool>());
}

TEST_F(CanaryControllerTest, WhatANewerReleaseStoredInItsOwnWordsIsLeftToIt) {
  begin();
  const auto take = [&](const std::string& owner) {
    return get(store->canaries().take_due(owner, 30)).size();
  };
  sql("UPDATE canaries SET spec = jsonb_set(spec, '{policy_version}', '\"the newest\"')");
  EXPECT_EQ(take("an older one"), 0U);
  pass(2);
  EXPECT_TRUE(last) << "it goes on with the others";
  sql("UPDATE canaries SET spec = jsonb_set(spec, '{policy_version}', '1')");
  EXPECT_EQ(take("a newer one"), 1U) << "nobody waits for who cannot drive it";
  sql("UPDATE services SET asked_at = NULL, spec = jsonb_set(spec, '{prometheus}', '7')");
  EXPECT_TRUE(get(store->services().take_unasked(30)).empty());
}

TEST_F(CanaryControllerTest, ASpentBudgetStopsItAndComesBack) {
  describe({.good_share = 0.99});
  service.harm.failures = 0.9;
  service.share = 50;  // failures before anything was tried
  for (int i = 0; i < 30; ++i) {
    service.serve();
  }
  service.share = 0;
  service.harm.failures = 0;
  const std::string id = begin();
  pass(25);
  EXPECT_EQ(state(id), CanaryState::prepared);
  EXPECT_NE(view(id).status.reason.find("budget"), std::string::npos);
  EXPECT_TRUE(view(id).budget["spent"].get<bool>());
  EXPECT_TRUE(reaches(id, CanaryState::ramping, 60)) << "the window has moved on";
}

}  // namespace
}  // namespace hone::test
