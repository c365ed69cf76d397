#include "build_integration/cli/job_wait.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

JobView queued(const std::string& waits, std::int64_t ahead) {
  JobView job;
  job.state = JobState::queued;
  job.waits = waits;
  job.ahead = ahead;
  return job;
}

TEST(JobWait, TellsWhyAndThePlaceInTheQueue) {
  EXPECT_EQ(wait_text(queued("no worker is connected", 0)),
            "queued: no worker is connected, next in the queue");
  EXPECT_EQ(wait_text(queued("for its turn at 2 workers", 1)),
            "queued: for its turn at 2 workers, 1 job before it in the queue");
  EXPECT_EQ(wait_text(queued("for its turn at 2 workers", 1000)),
            "queued: for its turn at 2 workers, 1000 jobs or more before it in the queue");
}

TEST(JobWait, NamesWhatNoWorkerHas) {
  JobView job = queued("none of the workers that take jobs fits (1 connected)", 0);
  job.unmet = {"labels {\"rack\":\"z\"}", "LLVM [20]"};
  EXPECT_EQ(wait_reason(job),
            "queued: none of the workers that take jobs fits (1 connected): no worker that takes "
            "jobs has labels {\"rack\":\"z\"}, and none LLVM [20]");
}

TEST(JobWait, OfACoordinatorBeforeThisOneTellsWhatThereIs) {
  JobView job;
  job.state = JobState::queued;
  EXPECT_EQ(wait_text(job), "queued");
  job.unmet = {"LLVM [20]"};
  EXPECT_EQ(wait_text(job), "queued: no worker that takes jobs has LLVM [20]");
}

TEST(JobWait, IsToldWhenTheReasonChangesAndNotWhenThePlaceDoes) {
  WaitNews news;
  EXPECT_TRUE(news.of(queued("for its turn at 1 worker", 3)));
  EXPECT_FALSE(news.of(queued("for its turn at 1 worker", 2)));
  EXPECT_TRUE(news.of(queued("no worker is connected", 2)));
  JobView job;
  job.state = JobState::leased;
  job.attempts.resize(1);
  job.attempts.front().worker = "staging-1";
  EXPECT_EQ(news.of(job), "measured by staging-1");
  job.state = JobState::done;
  EXPECT_FALSE(news.of(job));
}

}  // namespace
}  // namespace hone
