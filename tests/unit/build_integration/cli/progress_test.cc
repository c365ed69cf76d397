#include "build_integration/cli/progress.h"

#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace hone {
namespace {

CampaignView racing() {
  CampaignView campaign;
  campaign.id = "c1";
  campaign.target = "lz4";
  campaign.state = CampaignState::racing;
  campaign.candidates = 12;
  campaign.finished = 7;
  campaign.failed = 2;
  RewardEstimate best;
  best.value = std::log(1.021);
  best.low = std::log(1.013);
  best.high = std::log(1.029);
  campaign.best_race = best;
  return campaign;
}

TEST(Progress, LineHoldsCountsBestAndTime) {
  EXPECT_EQ(progress_text(racing(), std::chrono::seconds(48)),
            "lz4  7/12 candidates  best so far +2.1 % [+1.3, +2.9]  2 failed  0:48");
}

TEST(Progress, WhatWasLateIsCountedApart) {
  CampaignView campaign = racing();
  campaign.failed = 0;
  campaign.late = 5;
  campaign.best_race.reset();
  EXPECT_EQ(progress_text(campaign, std::chrono::seconds(48)),
            "lz4  7/12 candidates  5 late  0:48");
}

TEST(Progress, ConfirmingIsSaid) {
  CampaignView campaign = racing();
  campaign.state = CampaignState::confirming;
  EXPECT_NE(progress_text(campaign, std::chrono::seconds(1)).find("confirming"), std::string::npos);
}

TEST(Progress, EventIsOneJsonLine) {
  const std::string event = progress_event(racing());
  EXPECT_EQ(event.find('\n'), std::string::npos);
  const Json document = *parse_json(event);
  EXPECT_EQ(document["event"], "progress");
  EXPECT_EQ(document["finished"], 7);
  EXPECT_NEAR(document["best_race"]["value"].get<double>(), std::log(1.021), 1e-12);
}

TEST(Progress, PlainLinesComeOnlyWithNews) {
  testing::internal::CaptureStderr();
  {
    Progress progress(ProgressStyle::lines);
    CampaignView campaign = racing();
    progress.update(campaign, std::chrono::seconds(1));
    progress.update(campaign, std::chrono::seconds(2));
    campaign.finished = 8;
    progress.update(campaign, std::chrono::seconds(3));
  }
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2) << text;
}

}  // namespace
}  // namespace hone
