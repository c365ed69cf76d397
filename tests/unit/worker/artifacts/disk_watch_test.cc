#include "worker/artifacts/disk_watch.h"

#include <fstream>
#include <optional>

#include <gtest/gtest.h>

#include "common/base/file.h"

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
  DiskWatch::Finding finding() const { return DiskWatch({top()}, limits_, {}).finish(); }

  std::optional<TemporaryFolder> folder_;
  DiskLimits limits_;
};

TEST_F(Watched, CountsWhatIsOnDiskAndFollowsNoLinks) {
  put("a/b/file", 100'000);
  fs::create_directory_symlink("/usr", top() / "a/link");
  fs::resize_file(top() / "a/b/file", std::uintmax_t{1} << 40U);  // sparse
  const DiskUse use = disk_use({top(), top() / "none"});
  EXPECT_EQ(use.entries, 4U);
  EXPECT_GE(use.bytes, 100'000U);
  EXPECT_LT(use.bytes, 200'000U);
  EXPECT_FALSE(use.too_deep);
}

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

TEST_F(Watched, StopsTheStepWhileItWrites) {
  limits_.bytes = 1U << 20U;
  DiskWatch watch({top()}, limits_, {});
  put("file", 2'000'000);
  for (int i = 0; i < 100 && !watch.token().stop_requested(); ++i) {
    std::this_thread::sleep_for(100ms);
  }
  EXPECT_TRUE(watch.token().stop_requested());
  EXPECT_NE(watch.finish().limit_met, "");
}

TEST_F(Watched, AFullDiskIsTheDoingOfWhoHoldsMuch) {
  // Between what is free and what this step holds: as if that were missing.
  limits_.reserve_bytes = std::uint64_t{1} << 60U;
  EXPECT_FALSE(has_room(top(), limits_));
  DiskWatch watch({top()}, limits_, {});
  for (int i = 0; i < 100 && !watch.token().stop_requested(); ++i) {
    std::this_thread::sleep_for(100ms);
  }
  const DiskWatch::Finding found = watch.finish();
  EXPECT_TRUE(found.no_room);
  EXPECT_EQ(found.limit_met, "");
}

TEST_F(Watched, PassesAStopRequestOn) {
  std::stop_source outer;
  DiskWatch watch({top()}, limits_, outer.get_token());
  EXPECT_FALSE(watch.token().stop_requested());
  outer.request_stop();
  EXPECT_TRUE(watch.token().stop_requested());
  EXPECT_EQ(watch.finish().limit_met, "");
}

}  // namespace
}  // namespace hone
