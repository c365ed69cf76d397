#include "build_integration/cli/exit_status.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(ExitStatus, CampaignWithWinnerIsZero) {
  CampaignView campaign;
  campaign.state = CampaignState::finished;
  campaign.finished = 3;
  campaign.winner_candidate = "id";
  EXPECT_EQ(exit_status(campaign), 0);
}

TEST(ExitStatus, CampaignWithoutGainIsTen) {
  CampaignView campaign;
  campaign.state = CampaignState::finished;
  campaign.finished = 3;
  campaign.failed = 2;
  EXPECT_EQ(exit_status(campaign), 10);
}

TEST(ExitStatus, CampaignInWhichEverythingFailedIsEleven) {
  CampaignView campaign;
  campaign.state = CampaignState::finished;
  campaign.finished = 3;
  campaign.failed = 3;
  EXPECT_EQ(exit_status(campaign), 11);
  campaign.state = CampaignState::failed;
  EXPECT_EQ(exit_status(campaign), 11);
}

TEST(ExitStatus, CancelledCampaignIs130EvenWithGains) {
  CampaignView campaign;
  campaign.state = CampaignState::cancelled;
  campaign.winner_candidate = "id";
  EXPECT_EQ(exit_status(campaign), 130);
}

TEST(ExitStatus, JobFollowsOutcomeThenVerdict) {
  JobView job;
  job.state = JobState::done;
  job.outcome = Outcome::ok;
  job.verdict = Verdict::faster;
  EXPECT_EQ(exit_status(job), 0);
  job.verdict = Verdict::slower;
  EXPECT_EQ(exit_status(job), 10);
  job.outcome = Outcome::miscompiled;
  job.verdict.reset();
  EXPECT_EQ(exit_status(job), 11);
  job.outcome = Outcome::cancelled;
  EXPECT_EQ(exit_status(job), 130);
}

TEST(ExitStatus, JobWithoutResult) {
  JobView job;
  job.state = JobState::dead;
  EXPECT_EQ(exit_status(job), 11);
  job.late = true;
  EXPECT_EQ(exit_status(job), 12);
  job = JobView();
  EXPECT_EQ(exit_status(job), 12) << "not waited for any longer";
  job.state = JobState::cancelled;
  EXPECT_EQ(exit_status(job), 130);
}

}  // namespace
}  // namespace hone
