#include "worker/run/all_stops.h"

#include <array>

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(AllStops, StopsWhenTheLastJobWasStopped) {
  const std::stop_source worker;
  std::array<std::stop_source, 3> jobs;
  jobs[1].request_stop();  // before anybody waits
  const AllStops all(worker.get_token(),
                     {jobs[0].get_token(), jobs[1].get_token(), jobs[2].get_token()});
  EXPECT_FALSE(all.token().stop_requested());
  jobs[2].request_stop();
  jobs[2].request_stop();
  EXPECT_FALSE(all.token().stop_requested());
  jobs[0].request_stop();
  EXPECT_TRUE(all.token().stop_requested());
}

TEST(AllStops, StopsWithTheWorker) {
  std::stop_source worker;
  const std::stop_source job;
  const AllStops all(worker.get_token(), {job.get_token()});
  const AllStops alone(worker.get_token(), {});
  EXPECT_FALSE(all.token().stop_requested());
  EXPECT_FALSE(alone.token().stop_requested());
  worker.request_stop();
  EXPECT_TRUE(all.token().stop_requested());
  EXPECT_TRUE(alone.token().stop_requested());
}

}  // namespace
}  // namespace hone
