#include "build_integration/cli/line_history.h"

#include <sys/stat.h>

#include <cstdlib>

#include <gtest/gtest.h>

#include "common/base/file.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

class LineHistoryTest : public ::testing::Test {
 protected:
  TemporaryFolder folder_ = *TemporaryFolder::create("hone-history-test-");
  fs::path file_ = folder_.path() / "state/hone/history";
  LineHistory history_{file_};
};

TEST_F(LineHistoryTest, IsKeptForItsOwnerAlone) {
  EXPECT_TRUE(history_.lines()->empty());
  ASSERT_TRUE(history_.add("action sroa"));
  ASSERT_TRUE(LineHistory(file_).add("stack"));
  ASSERT_TRUE(history_.add("stack")) << "the last one again is not added";
  EXPECT_EQ(*history_.lines(), (std::vector<std::string>{"action sroa", "stack"}));
  struct stat status{};
  ASSERT_EQ(stat(file_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  ASSERT_EQ(stat(file_.parent_path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0700U);
  // Somebody else's umask.
  ASSERT_EQ(chmod(file_.c_str(), 0644), 0);
  ASSERT_TRUE(history_.add("exit"));
  ASSERT_EQ(stat(file_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(LineHistoryTest, TheOldestLinesGoFirst) {
  std::string text;
  for (std::size_t i = 0; i < kMaxHistoryLines; ++i) {
    text += "line " + std::to_string(i) + "\n";
  }
  fs::create_directories(file_.parent_path());
  ASSERT_TRUE(write_file_atomically(file_, text));
  ASSERT_TRUE(history_.add("the last"));
  const auto lines = history_.lines();
  ASSERT_TRUE(lines);
  EXPECT_EQ(lines->size(), kMaxHistoryLines);
  EXPECT_EQ(lines->front(), "line 1");
  EXPECT_EQ(lines->back(), "the last");
}

TEST_F(LineHistoryTest, AFolderThatIsNoneIsAnError) {
  ASSERT_TRUE(write_file_atomically(folder_.path() / "state", "a file"));
  EXPECT_FALSE(history_.add("x"));
}

TEST(HistoryFile, IsBelowTheStateFolder) {
  setenv("XDG_STATE_HOME", "/s", 1);
  EXPECT_EQ(*history_file(), "/s/hone/history");
  setenv("XDG_STATE_HOME", "relative", 1);
  setenv("HOME", "/h", 1);
  EXPECT_EQ(*history_file(), "/h/.local/state/hone/history");
}

}  // namespace
}  // namespace hone
