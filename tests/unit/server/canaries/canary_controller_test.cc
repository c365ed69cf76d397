// Canaries from their beginning to their end, with a real store and a made-up service.
#include "tests/unit/server/canaries/canary_controller_test.h"

namespace hone::test {
namespace {

TEST_F(CanaryControllerTest, AnEqualCanaryIsPromotedStepByStep) {
  const std::string id = begin();
  EXPECT_FALSE(get(store->canaries().may_serve(id)));
  pass(2);
  EXPECT_EQ(service.share, 5);
  EXPECT_TRUE(get(store->canaries().may_serve(id)));
  ASSERT_TRUE(reaches(id, CanaryState::promoted)) << view(id).status.reason;
  pass(2);
  EXPECT_EQ(service.share, 100);
  std::vector<int> shares;
  for (const CanaryDecision& decision : get(store->canaries().decisions(id))) {
    shares.push_back(decision.share);
    EXPECT_FALSE(decision.reason.empty());
  }
  EXPECT_EQ(shares, (std::vector<int>{5, 50, 50, 100}));
  EXPECT_TRUE(view(id).follows);
}

TEST_F(CanaryControllerTest, AHarmfulOneIsWithdrawnAndTeaches) {
  const std::string id = begin();
  pass(20);
  service.harm.latency = 1.5;
  ASSERT_TRUE(reaches(id, CanaryState::rolled_back)) << view(id).status.reason;
  EXPECT_NE(view(id).status.reason.find("worse"), std::string::npos);
  pass(2);
  EXPECT_EQ(service.share, 0);
  EXPECT_FALSE(get(store->canaries().may_serve(id)));
  const LinePage page = get(store->experiences().read({}));
  ASSERT_EQ(page.count, 1);
  const Json line = *parse_json(page.lines);
  EXPECT_EQ(line["source"], "production");
  EXPECT_EQ(line["outcome"], "ok");
  EXPECT_EQ(line["verdict"], "slower");
  EXPECT_LT(line["reward"]["high"].get<double>(), 0);
  EXPECT_EQ(line["slis"].size(), std::size(kSlis));
  EXPECT_EQ(line["slis"][1]["finding"], "worse");
  const double error =
      (line["reward"]["high"].get<double>() - line["reward"]["low"].get<double>()) / 3.919928;
  EXPECT_NEAR(line["weight"].get<double>() * error * error, 1, 0.01);
}

TEST_F(CanaryControllerTest, ACrashedCanaryIsWithdrawnWithinThreeWindows) {
  const std::string id = begin();
  pass(30);
  service.harm.down = true;
  EXPECT_TRUE(reaches(id, CanaryState::rolled_back, 40)) << view(id).status.reason;
  EXPECT_NE(view(id).status.reason.find("down"), std::string::npos) << view(id).status.reason;
}

TEST_F(CanaryControllerTest, APromotionPutsItsPolicyInForce) {
  get(store->policies().promote("shop", 1));
  const std::string id =
      begin({.steps = {5, 50}, .step_windows = 3, .most_windows = 60}, publish());
  EXPECT_EQ(view(id).known_good, 1);
  pass(5);
  EXPECT_EQ(in_force(), 1) << "while it is tried";
  ASSERT_TRUE(reaches(id, CanaryState::promoted)) << view(id).status.reason;
  EXPECT_EQ(in_force(), 2);
  EXPECT_EQ(view(id).policy_in_force, 2);
  AuditFilter filter;
  filter.action = "policy.promote";
  const Page<AuditView> log = get(store->audit().list(filter, {}));
  ASSERT_EQ(log.items.size(), 1U) << "as if somebody had done it";
  EXPECT_TRUE(log.items[0].token.empty()) << "honed did";
  EXPECT_EQ(parse_json(log.items[0].entry.after)->at("canary"), id);
  EXPECT_EQ(parse_json(log.items[0].entry.before)->at("promoted"), 1);
  pass(2);
  const Json line = only_experience();
  EXPECT_EQ(line["known_good"]["version"], 1);
  EXPECT_EQ(line["policy_version"], 2);
  // What is older than what is in force could not be promoted: it does not begin.
  CanarySpec older;
  older.target = "shop";
  older.policy_version = 1;
  const Result<CanaryView> refused = run_on(context, store->canaries().create(older, token));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::conflict);
}

TEST_F(CanaryControllerTest, HoweverElseItEndsTheKnownGoodPolicyStays) {
  get(store->policies().promote("shop", 1));
  const std::string harmful = begin({.steps = {5, 50}, .step_windows = 3}, publish());
  pass(20);
  service.harm.latency = 1.5;
  ASSERT_TRUE(reaches(harmful, CanaryState::rolled_back)) << view(harmful).status.reason;
  EXPECT_EQ(in_force(), 1);
  EXPECT_EQ(view(harmful).status.cause, CanaryCause::harm);
  pass(2);
  EXPECT_EQ(only_experience()["cause"], "harm");
  service.harm = {};
  const std::string ended = begin({.steps = {5, 50}, .step_windows = 3}, 2);
  pass(5);
  get(store->canaries().change(
      ended, [](CanaryStatus status) { return ended_by_hand(std::move(status), "ann", "lunch"); }));
  pass(2);
  EXPECT_EQ(in_force(), 1);
  EXPECT_EQ(view(ended).status.cause, CanaryCause::by_hand);
}

TEST_F(CanaryControllerTest, WhatMayNotBePutInForceWaits) {
  get(store->policy_keys().require_signatures("shop", true));
  const std::string id = begin();
  ASSERT_TRUE(reaches(id, CanaryState::judged)) << view(id).status.reason;
  pass(25);
  EXPECT_EQ(state(id), CanaryState::judged);
  EXPECT_NE(view(id).status.reason.find("not signed"), std::string::npos) << view(id).status.reason;
  EXPECT_EQ(get(store->canaries().decisions(id)).back().reason, view(id).status.reason);
  const CanaryChange approve = [](CanaryStatus status) {
    return approved(std::move(status), "ann");
  };
  const Result<CanaryView> changed = run_on(context, store->canaries().change(id, approve));
  ASSERT_FALSE(changed) << "by hand neither";
  EXPECT_EQ(changed.error().code, ErrorCode::conflict);
  EXPECT_EQ(state(id), CanaryState::judged) << "both, or neither";
  EXPECT_EQ(in_force(), 0);
  get(store->policy_keys().require_signatures("shop", false));
  ASSERT_TRUE(reaches(id, CanaryState::promoted)) << view(id).status.reason;
  EXPECT_EQ(in_force(), 1);
}

TEST_F(CanaryControllerTest, AnotherCoordinatorGoesOn) {
  const std::string id = begin();
  pass(45);
  const std::int64_t windows = view(id).windows;
  ASSERT_GT(windows, 2);
  restart("b");
  pass(1);
  EXPECT_EQ(view(id).windows, windows) << "the first one still drives it";
  sql("UPDATE canaries SET owner_until = now() - interval '1 second'");
  service.share = 80;  // something moved traffic meanwhile
  pass(1);
  EXPECT_EQ(service.share, view(id).status.share);
  pass(20);
  EXPECT_GT(view(id).windows, windows);
  EXPECT_TRUE(reaches(id, CanaryState::promoted)) << view(id).status.reason;
}

TEST_F(CanaryControllerTest, IsEndedAndApprovedByHand) {
  const std::string ended = begin();
  pass(5);
  get(store->canaries().change(
      ended, [](CanaryStatus status) { return ended_by_hand(std::move(status), "ann", "lunch"); }));
  pass(2);
  EXPECT_EQ(service.share, 0);
  EXPECT_EQ(view(ended).status.reason, "ended by ann: lunch");
  const std::string judged = begin(
      {.steps = {5, 50}, .step_windows = 3, .most_windows = 60, .approval = Approval::by_hand});
  ASSERT_TRUE(reaches(judged, CanaryState::judged)) << view(judged).status.reason;
  pass(15);
  EXPECT_EQ(state(judged), CanaryState::judged);
  get(store->canaries().change(
      judged, [](CanaryStatus status) { return approved(std::move(status), "ann"); }));
  pass(2);
  EXPECT_EQ(service.share, 100);
}

TEST_F(CanaryControllerTest, OneCanaryATarget) {
  begin();
  CanarySpec spec;
  spec.target = "shop";
  spec.policy_version = 1;
  const Result<CanaryView> second = run_on(context, store->canaries().create(spec, token));
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::conflict);
  spec.policy_version = 2;
  const Result<CanaryView> unknown = run_on(context, store->canaries().create(spec, token));
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().fields.front().pointer, "/policy_version");
}

}  // namespace
}  // namespace hone::test
