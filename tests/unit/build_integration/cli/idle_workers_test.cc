#include "build_integration/cli/idle_workers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone {
namespace {

using namespace std::chrono_literals;

WorkerCheck check(const std::string& target, const std::string& unfit_reason) {
  WorkerCheck made;
  made.target = target;
  made.checked_at = "2026-01-02T03:04:05Z";
  made.unfit_reason = unfit_reason;
  return made;
}

TEST(IdleWorkers, ThoseOutOfRotationForTheTargetAreNamed) {
  WorkerView worker;
  worker.name = "w1";
  worker.checks = {check("lz4", "two false\ncalls"), check("zstd", "noise"), check("lz4", "")};
  const std::vector<std::string> reasons = waiting_reasons({worker}, "lz4");
  ASSERT_EQ(reasons.size(), 1U);
  EXPECT_THAT(reasons[0], testing::HasSubstr("worker w1"));
  EXPECT_THAT(reasons[0], testing::HasSubstr("two false calls"));
}

TEST(IdleWorkers, ThatNobodyTakesJobsIsSaid) {
  EXPECT_THAT(waiting_reasons({}, "lz4"),
              testing::ElementsAre(testing::HasSubstr("no worker is connected")));
  WorkerView stopped;
  stopped.left_at = "2026-01-02T03:04:05Z";
  WorkerView drained;
  drained.drained_at = stopped.left_at;
  WorkerView silent;
  silent.silent = true;
  EXPECT_THAT(waiting_reasons({stopped, silent}, "lz4"),
              testing::ElementsAre(testing::HasSubstr("no worker is connected")));
  EXPECT_THAT(waiting_reasons({stopped, drained}, "lz4"),
              testing::ElementsAre(testing::HasSubstr("(1 drained)")));
  EXPECT_THAT(waiting_reasons({stopped, WorkerView()}, "lz4"), testing::IsEmpty());
}

TEST(IdleWorkers, AreAskedForAfterAWhileWithoutProgressOnly) {
  IdleWatch watch;
  CampaignView campaign;
  const IdleWatch::Clock::time_point start;
  EXPECT_FALSE(watch.is_time(campaign, start));
  EXPECT_FALSE(watch.is_time(campaign, start + 19s));
  EXPECT_TRUE(watch.is_time(campaign, start + 20s));
  EXPECT_FALSE(watch.is_time(campaign, start + 21s));
  campaign.finished = 1;
  EXPECT_FALSE(watch.is_time(campaign, start + 60s));
  EXPECT_TRUE(watch.is_time(campaign, start + 80s));
}

TEST(IdleWorkers, AReasonIsSaidOnce) {
  IdleWatch watch;
  EXPECT_EQ(watch.news({"a", "b"}), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(watch.news({"b", "c"}), (std::vector<std::string>{"c"}));
}

}  // namespace
}  // namespace hone
