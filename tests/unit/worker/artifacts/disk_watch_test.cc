#include "worker/artifacts/disk_watch.h"

#include <unistd.h>

#include <atomic>
#include <fstream>
#include <optional>

#include <gtest/gtest.h>

#include "common/base/file.h"
#include "tests/unit/worker/artifacts/other_process.h"

namespace hone {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class Watched : public testing::Test {
 protected:
  void SetUp() override {
    Result<TemporaryFolder> made = TemporaryFolder::create("disk-test");
    ASSERT_TRUE(made.has_value());
    folder_.emplace(*std::move(made));
    fs::create_directories(top() / "a/b");
    limits_.reserve_bytes = 0;
  }
  fs::path top() const { return folder_->path(); }
  void put(const std::string& name, std::size_t size) const {
    std::ofstream(top() / name) << std::string(size, 'x') << std::flush;
  }
  DiskWatch::Finding finding() const {
    return DiskWatch({{top()}}, limits_, {}).finish(DiskWatch::StepEnd::ok);
  }

  std::optional<TemporaryFolder> folder_;
  DiskLimits limits_;
};

TEST_F(Watched, FindsNothingWithinTheLimits) {
  put("file", 1000);
  EXPECT_EQ(finding().limit_met, "");
  EXPECT_FALSE(finding().no_room);
}

TEST_F(Watched, FindsTooMuchOfEachKind) {
  limits_.bytes = 1U << 20U;
  put("file", 2'000'000);
  EXPECT_NE(finding().limit_met.find("1 MiB of disk"), std::string::npos);
  limits_.bytes = 1U << 30U;
  limits_.entries = 2;
  EXPECT_NE(finding().limit_met.find("more than 2 files"), std::string::npos);
  limits_.entries = 1000;
  fs::path deep = top();
  for (int i = 0; i < kMaxNesting + 2; ++i) {
    deep /= "d";
  }
  fs::create_directories(deep);
  EXPECT_NE(finding().limit_met.find("nested folders"), std::string::npos);
}

TEST_F(Watched, CountsTheFilesThatAStepPrintsTo) {
  limits_.bytes = 1U << 20U;
  put("log", 2'000'000);
  const WatchedStep step{{top() / "a"}, {top() / "log", top() / "none"}};
  EXPECT_NE(DiskWatch(step, limits_, {}).finish(DiskWatch::StepEnd::ok).limit_met, "");
}

TEST_F(Watched, StopsTheStepWhileItWrites) {
  limits_.bytes = 1U << 20U;
  DiskWatch watch({{top()}}, limits_, {});
  put("file", 2'000'000);
  for (int i = 0; i < 100 && !watch.token().stop_requested(); ++i) {
    std::this_thread::sleep_for(100ms);
  }
  EXPECT_TRUE(watch.token().stop_requested());
  EXPECT_NE(watch.finish(DiskWatch::StepEnd::ok).limit_met, "");
}

class FullDisk : public Watched {
 protected:
  static constexpr std::uint64_t kMiB = 1U << 20U;
  void SetUp() override {
    Watched::SetUp();
    limits_.reserve_bytes = 4 * kMiB;
  }
  // A disk that had this much room before the step, and has 1 MiB once it is full.
  DiskWatch::RoomProbe disk(std::uint64_t before) const {
    return [this, before](const fs::path&) { return DiskRoom{full_ ? kMiB : before}; };
  }
  DiskWatch::Finding found_by_itself(DiskWatch& watch) {
    full_ = true;
    for (int i = 0; i < 600 && !watch.token().stop_requested(); ++i) {
      std::this_thread::sleep_for(100ms);
    }
    EXPECT_TRUE(watch.token().stop_requested());
    return watch.finish(DiskWatch::StepEnd::failed);
  }

  std::atomic<bool> full_ = false;
};

TEST_F(FullDisk, IsTheDoingOfWhoTookMostOfWhatHasGone) {
  DiskWatch watch({{top()}}, limits_, {}, disk(20 * kMiB));
  put("file", 16 * kMiB);
  const DiskWatch::Finding found = found_by_itself(watch);
  EXPECT_FALSE(found.no_room);
  EXPECT_NE(found.limit_met.find("all but filled the disk, with 1"), std::string::npos);
}

TEST_F(FullDisk, IsNotTheDoingOfWhoseFilesWereThereBefore) {
  put("file", 16 * kMiB);
  std::this_thread::sleep_for(50ms);  // the clock of file times has ticks
  DiskWatch watch({{top()}}, limits_, {}, disk(20 * kMiB));
  const DiskWatch::Finding found = found_by_itself(watch);
  EXPECT_TRUE(found.no_room);
  EXPECT_EQ(found.limit_met, "");
}

TEST_F(FullDisk, IsNotTheDoingOfWhoWroteLessThanOthers) {
  DiskWatch watch({{top()}}, limits_, {}, disk(100 * kMiB));
  put("file", 16 * kMiB);
  EXPECT_TRUE(found_by_itself(watch).no_room);
}

TEST_F(FullDisk, IsTheDoingOfWhoHoldsDeletedFiles) {
  const std::atomic<pid_t> self = getpid();
  DiskWatch watch({{top()}, {}, {&self, 0}}, limits_, {}, disk(20 * kMiB));
  const OtherProcess step([&] { hold_deleted(top() / "held", 16 * kMiB); });
  const DiskWatch::Finding found = found_by_itself(watch);
  EXPECT_FALSE(found.no_room);
  EXPECT_NE(found.limit_met.find("all but filled the disk, with 1"), std::string::npos);
}

TEST_F(FullDisk, ExplainsAFailureButTakesNoGoodEndAway) {
  DiskWatch failed({{top()}}, limits_, {}, disk(20 * kMiB));
  DiskWatch good({{top()}}, limits_, {}, disk(20 * kMiB));
  EXPECT_TRUE(good.finish(DiskWatch::StepEnd::ok).limit_met.empty());
  full_ = true;
  const DiskWatch::Finding found = failed.finish(DiskWatch::StepEnd::failed);
  EXPECT_TRUE(found.no_room);
  DiskWatch late({{top()}}, limits_, {}, disk(20 * kMiB));
  EXPECT_FALSE(late.finish(DiskWatch::StepEnd::ok).no_room);
}

TEST_F(Watched, StopsTheStepThatDeletesWhatItWrites) {
  limits_.bytes = 1U << 20U;
  const std::atomic<pid_t> self = getpid();
  DiskWatch watch({{top()}, {}, {&self, 0}}, limits_, {});
  const OtherProcess step([&] { hold_deleted(top() / "held", 4U << 20U); });
  for (int i = 0; i < 600 && !watch.token().stop_requested(); ++i) {
    std::this_thread::sleep_for(100ms);
  }
  EXPECT_TRUE(watch.token().stop_requested());
  EXPECT_NE(watch.finish(DiskWatch::StepEnd::failed).limit_met.find("1 MiB of disk"),
            std::string::npos);
}

TEST_F(Watched, PassesAStopRequestOn) {
  std::stop_source outer;
  DiskWatch watch({{top()}}, limits_, outer.get_token());
  EXPECT_FALSE(watch.token().stop_requested());
  outer.request_stop();
  EXPECT_TRUE(watch.token().stop_requested());
  EXPECT_EQ(watch.finish(DiskWatch::StepEnd::ok).limit_met, "");
}

}  // namespace
}  // namespace hone
