#include "common/protocol/campaign.h"

#include "tests/unit/common/protocol/refusals.h"

namespace hone {
namespace {

TEST(CampaignRequest, RoundTrips) {
  CampaignRequest request;
  request.target = "lz4";
  request.budget_candidates = 20;
  request.budget_seconds = 600;
  request.seed = 9007199254740991;
  request.baseline = BaselineKind::own;
  request.priority = -3;
  request.proposing_seconds = 300;
  EXPECT_FALSE(to_json(request).contains("deadline_seconds")) << "older honeds refuse the word";
  request.deadline_seconds = 7200;
  const Result<CampaignRequest> back = parse_campaign_request(to_json(request));
  ASSERT_TRUE(back.has_value()) << back.error().describe();
  EXPECT_EQ(to_json(*back), to_json(request));
  EXPECT_EQ(back->seed, request.seed);
  EXPECT_EQ(back->proposing_seconds, 300);
  EXPECT_EQ(back->deadline_seconds, 7200);
}

TEST(CampaignRequest, InvariantsAreRefusedByPointer) {
  const Json good{{"target", "lz4"}, {"budget_candidates", 20}};
  ASSERT_TRUE(parse_campaign_request(good).has_value());
  const std::vector<std::pair<Json, std::string>> cases = {
      {with(good, "/target", nullptr), "/target"},
      {with(good, "/budget_candidates", nullptr), "/budget_candidates"},
      {with(good, "/budget_candidates", 10001), "/budget_candidates"},
      {with(good, "/budget_seconds", 9), "/budget_seconds"},
      {with(good, "/seed", -1), "/seed"},
      {with(good, "/seed", 9007199254740992), "/seed"},
      {with(good, "/baseline", "O2"), "/baseline"},
      {with(good, "/priority", 101), "/priority"},
      {with(good, "/proposing_seconds", 9), "/proposing_seconds"},
      {with(good, "/deadline_seconds", 0), "/deadline_seconds"},
      {with(good, "/deadline_seconds", 31'536'001), "/deadline_seconds"},
      {with(good, "/budget", 5), "/budget"},
  };
  for (const auto& [document, pointer] : cases) {
    EXPECT_EQ(refused(parse_campaign_request(document)), Pointers{pointer});
  }
}

TEST(CampaignView, RoundTripsAndIgnoresWhatIsNew) {
  CampaignView view;
  view.id = "c1";
  view.target = "lz4";
  view.state = CampaignState::confirming;
  view.reason = "why";
  view.budget_seconds = 60;
  view.proposing_seconds = 300;
  view.closed = true;
  view.candidates = 5;
  view.finished = 4;
  view.failed = 1;
  view.unfinished = 2;
  view.best_candidate = "k1";
  view.best_race = RewardEstimate{0.1, 0.05, 0.2, 0.95, 12, 0.01, 0.02};
  view.winner_candidate = "k1";
  view.confirmed = RewardEstimate{0.02, 0.01, 0.03, 0.95, 48, 0.01, 0.02};
  view.policy_version = 3;
  view.deadline = "2026-11-28T07:00:00Z";
  view.created_at = "2026-11-27T23:00:00Z";
  Json document = to_json(view);
  document["new_field"] = 1;
  const Result<CampaignView> back = parse_campaign_view(document);
  ASSERT_TRUE(back.has_value()) << back.error().describe();
  EXPECT_EQ(to_json(*back), to_json(view));
}

}  // namespace
}  // namespace hone
