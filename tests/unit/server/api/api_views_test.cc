// The dashboard's views: what they join.
#include "tests/unit/server/api/viewed_campaign.h"

namespace hone {
namespace {

TEST_F(ApiViews, OverviewShowsGainTrendFleetAndTrouble) {
  const Json overview = view("overview");
  expect_schema(overview, "Overview");
  const auto of_target = [](const Json& items) {
    Json found;
    for (const Json& item : items) {
      if (item.value("name", item.value("target", "")) == "viewed") {
        found = item;
      }
    }
    return found;
  };
  const Json target = of_target(overview["targets"]);
  EXPECT_DOUBLE_EQ(target["best"]["reward"]["value"].get<double>(), 0.06);
  EXPECT_EQ(target["best"]["campaign"], campaign_);
  EXPECT_EQ(target["commit"], std::string(40, 'a'));
  EXPECT_EQ(target["metric"], "cpu_time");
  const Json trend = of_target(overview["trend"]);
  EXPECT_EQ(trend["state"], "finished");
  EXPECT_DOUBLE_EQ(trend["low"].get<double>(), 0.05);
  EXPECT_GE(overview["fleet"]["alive"].get<int>(), 1);
  bool failed = false;
  bool fell_back = false;
  for (const Json& item : overview["attention"]) {
    const bool ours = item["target"] == "viewed";
    failed = failed || (ours && item["kind"] == "failed_candidates" &&
                        text_of(item, "text") == "build_failed: " + std::string(kScript));
    fell_back = fell_back || (ours && item["kind"] == "fell_back" && item["source"] == "b.c");
  }
  EXPECT_TRUE(failed && fell_back) << overview["attention"];
}

TEST_F(ApiViews, CampaignHasEveryCandidateInColumns) {
  const Json shown = view("campaigns/" + campaign_);
  expect_schema(shown, "CampaignDetail");
  EXPECT_EQ(shown["campaign"]["state"], "finished");
  EXPECT_EQ(shown["campaign"]["metric"], "cpu_time");
  EXPECT_EQ(shown["sets"].size(), 2U);
  ASSERT_EQ(rows_of(shown["candidates"]), 4U);
  const Json& columns = shown["candidates"]["columns"];
  EXPECT_EQ(columns["set"], Json::array({0, 0, 1, 1}));
  EXPECT_EQ(columns["outcome"][1], "build_failed");
  EXPECT_EQ(columns["reason"][1], kScript);
  EXPECT_TRUE(columns["reward"][1].is_null()) << "what was not measured is not 0";
  EXPECT_DOUBLE_EQ(columns["reward"][3].get<double>(), 0.09);
  EXPECT_EQ(columns["confirm_verdict"][3], "faster");
  EXPECT_DOUBLE_EQ(columns["confirm_reward"][3].get<double>(), 0.06);
  EXPECT_GT(columns["measured_at"][3].get<std::int64_t>(), 1'600'000'000'000);
}

TEST_F(ApiViews, CampaignSinceHasOnlyWhatChanged) {
  EXPECT_EQ(rows_of(view("campaigns/" + campaign_ + "?since=1000")["candidates"]), 4U);
  EXPECT_EQ(rows_of(view("campaigns/" + campaign_ + "?since=250000000000000")["candidates"]), 0U);
}

TEST_F(ApiViews, CandidateIsComparedWithItsBaselineAndItsParent) {
  const Json columns = candidates();
  const std::string best = columns["id"][3].get<std::string>();
  const Json shown = view("candidates/" + best);
  expect_schema(shown, "Comparison");
  EXPECT_EQ(shown["job"]["stage"], "confirm");
  EXPECT_EQ(shown["job"]["candidate"], best);
  EXPECT_EQ(shown["worker"], "viewed");
  EXPECT_EQ(shown["candidate"]["winner"], true);
  EXPECT_EQ(shown["jobs"].size(), 2U);
  EXPECT_EQ(shown["policies"][0]["version"], 1);
  EXPECT_EQ(shown["samples_of"], shown["job"]["id"]);
  ASSERT_EQ(rows_of(shown["pairs"]), 12U);
  EXPECT_DOUBLE_EQ(shown["pairs"]["columns"]["baseline"][3].get<double>(), 0.203);
  EXPECT_EQ(shown["pairs"]["columns"]["candidate_first"][3], false);
  EXPECT_DOUBLE_EQ(shown["pairs"]["columns"]["log_ratio"][3].get<double>(), 0);
  EXPECT_EQ(shown["parent"]["id"], columns["id"][0]) << "the one that was measured before its set";
  EXPECT_EQ(shown["parent"]["rules"][0]["knobs"]["unroll-count"], "2");
  const Json race = view("candidates/" + best + "?stage=race");
  EXPECT_EQ(race["job"]["stage"], "race");
  EXPECT_EQ(race["job"]["result"]["decisions"].size(), 2U);
  EXPECT_EQ(view("jobs/" + text_of(race["job"], "id"))["job"], race["job"]);
}

TEST_F(ApiViews, AFailureHasItsLogAndNoPairs) {
  const Json shown = view("candidates/" + candidates()["id"][1].get<std::string>());
  EXPECT_EQ(shown["job"]["outcome"], "build_failed");
  EXPECT_EQ(shown["job"]["result"]["log"], kScript);
  EXPECT_EQ(rows_of(shown["pairs"]), 0U);
  EXPECT_TRUE(shown["parent"].is_null());
  EXPECT_TRUE(shown["job"]["reward"].is_null());
}

TEST_F(ApiViews, HistoryHasAPointForEachResult) {
  const Json history = view("targets/viewed/history");
  expect_schema(history, "History");
  EXPECT_EQ(history["metric"], "cpu_time");
  EXPECT_EQ(history["unit"], "seconds");
  EXPECT_EQ(history["baseline"], "O3");
  EXPECT_EQ(history["worker"], "viewed");
  EXPECT_EQ(history["bucketed"], false);
  const std::size_t rows = rows_of(history["points"]);
  EXPECT_GE(rows, 4U);
  EXPECT_EQ(history["total"], rows);
  const Json& columns = history["points"]["columns"];
  // 0.200, 0.201 ... 0.211: median, quartiles.
  EXPECT_NEAR(columns["baseline"][0].get<double>(), 0.2055, 1e-6);
  EXPECT_NEAR(columns["baseline_low"][0].get<double>(), 0.20275, 1e-6);
  EXPECT_NEAR(columns["baseline_high"][0].get<double>(), 0.20825, 1e-6);
  EXPECT_NEAR(columns["reward"][0].get<double>(), 0.05, 1e-6);
  EXPECT_EQ(columns["stage"][0], "race");
  EXPECT_EQ(history["versions"][0]["commit"], std::string(40, 'a'));
  EXPECT_EQ(history["campaigns"][0]["id"], campaign_);
  EXPECT_TRUE(history["changes"].empty());
  EXPECT_EQ(rows_of(view("targets/viewed/history?from=1&to=2")["points"]), 0U);
  EXPECT_EQ(rows_of(view("targets/viewed/history?stage=race")["points"]), 3U);
  EXPECT_TRUE(view("targets/viewed/history?metric=energy")["metric"].is_null());
}

TEST_F(ApiViews, PoliciesShowWhereTheyComeFromAndWhatDiffers) {
  const Json all = view("policies");
  expect_schema(all, "Policies");
  const Json shown = view("policies/viewed");
  expect_schema(shown, "PolicyDetail");
  ASSERT_EQ(shown["versions"].size(), 1U);
  const Json& version = shown["versions"][0];
  EXPECT_EQ(version["campaign"], campaign_);
  EXPECT_DOUBLE_EQ(version["reward"]["value"].get<double>(), 0.06);
  EXPECT_EQ(version["worker"], "viewed");
  EXPECT_EQ(version["generator"], "test");
  EXPECT_EQ(version["signed"], false);
  EXPECT_EQ(version["rules"], 1);
  EXPECT_TRUE(shown["diff"].is_null());
  const Client admin = ApiServer::instance().client(Role::admin);
  ASSERT_TRUE(admin.post("/v1/policies/viewed/versions/1/rollback", Json::object()).has_value());
  const Json diff = view("policies/viewed?from=1&to=2")["diff"];
  EXPECT_EQ(diff["same"], 1);
  EXPECT_EQ(diff["changed"], Json::array());
}

TEST_F(ApiViews, ExplorerListsActionsAndLoggedPrograms) {
  const Json explorer = view("explorer");
  expect_schema(explorer, "Explorer");
  EXPECT_EQ(explorer["available"], true);
  EXPECT_GT(explorer["actions"].size(), 50U);
  EXPECT_EQ(explorer["observations"][0], "Ir");
  EXPECT_EQ(explorer["rewards"][0], "IrInstructionCount");
}

}  // namespace
}  // namespace hone
