#include "worker/artifacts/disk_use.h"

#include <fstream>
#include <optional>
#include <thread>

#include <gtest/gtest.h>

#include "common/base/file.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

class Used : public testing::Test {
 protected:
  void SetUp() override {
    Result<TemporaryFolder> made = TemporaryFolder::create("use-test");
    ASSERT_TRUE(made.has_value());
    folder_.emplace(*std::move(made));
    fs::create_directories(top() / "a/b");
  }
  fs::path top() const { return folder_->path(); }
  void put(const std::string& name, std::size_t size) const {
    std::ofstream(top() / name) << std::string(size, 'x') << std::flush;
  }
  std::optional<TemporaryFolder> folder_;
};

TEST_F(Used, CountsWhatIsOnDiskAndFollowsNoLinks) {
  put("a/b/file", 100'000);
  fs::create_directory_symlink("/usr", top() / "a/link");
  fs::resize_file(top() / "a/b/file", std::uintmax_t{1} << 40U);  // sparse
  const DiskUse use = disk_use({top(), top() / "none"});
  EXPECT_EQ(use.entries, 4U);
  EXPECT_GE(use.bytes, 100'000U);
  EXPECT_LT(use.bytes, 200'000U);
  EXPECT_FALSE(use.too_deep);
}

TEST_F(Used, CountsTheBytesOfAFileWithTwoNamesOnce) {
  put("file", 1'000'000);
  fs::create_hard_link(top() / "file", top() / "a/again");
  const DiskUse use = disk_use({top()});
  EXPECT_EQ(use.entries, 4U);
  EXPECT_GE(use.bytes, 1'000'000U);
  EXPECT_LT(use.bytes, 1'200'000U);
}

TEST_F(Used, TellsWhatIsNewWhateverItsTimesPretend) {
  put("old", 1'000'000);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // file times have ticks
  const timespec since = file_time_now();
  EXPECT_EQ(disk_use({top()}, {}, since).new_bytes, 0U);
  put("a/new", 2'000'000);
  fs::last_write_time(top() / "a/new", fs::file_time_type::clock::now() - std::chrono::hours(99));
  const DiskUse use = disk_use({top()}, {}, since);
  EXPECT_GE(use.new_bytes, 2'000'000U);
  EXPECT_LT(use.new_bytes, 2'500'000U);
  EXPECT_GE(use.bytes, 3'000'000U);
}

TEST_F(Used, AddsWhatProcessesHoldBesides) {
  const std::uint64_t before = disk_use({top()}).bytes;
  HeldFiles held;
  held.bytes = 5000;
  held.entries = 1;
  const DiskUse use = disk_use({top()}, held, file_time_now());
  EXPECT_EQ(use.bytes, before + 5000);
  EXPECT_GE(use.new_bytes, 5000U);
  EXPECT_EQ(use.entries, 3U);
}

TEST(FilledDisk, IsWhoMadeMostOfWhatHasGone) {
  DiskLimits limits;
  limits.reserve_bytes = 100;
  const auto filled = [&](std::uint64_t made, std::uint64_t before, std::uint64_t now) {
    DiskUse use;
    use.bytes = 1'000'000;  // what was there before is nobody's doing
    use.new_bytes = made;
    return filled_disk(use, {before}, {now}, limits);
  };
  EXPECT_TRUE(filled(900, 1000, 100));
  EXPECT_TRUE(filled(450, 1000, 100));
  EXPECT_FALSE(filled(440, 1000, 100)) << "others took more";
  EXPECT_TRUE(filled(2000, 1000, 100)) << "others gave back";
  EXPECT_FALSE(filled(99, 150, 51)) << "it was all but full before";
  EXPECT_FALSE(filled(900, 1000, 101)) << "there is room";
}

TEST(FilledDisk, CountsFilesAsItCountsBytes) {
  DiskUse use;
  use.new_entries = 50'000;
  const DiskRoom plenty;
  EXPECT_TRUE(filled_disk(use, {plenty.bytes, 60'000}, {plenty.bytes, 9000}, {}));
  use.new_entries = 20'000;
  EXPECT_FALSE(filled_disk(use, {plenty.bytes, 60'000}, {plenty.bytes, 9000}, {}));
}

}  // namespace
}  // namespace hone
