#include "common/base/remove_tree.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "common/base/file.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

class RemoveTree : public testing::Test {
 protected:
  void SetUp() override {
    Result<TemporaryFolder> made = TemporaryFolder::create("remove-test");
    ASSERT_TRUE(made.has_value());
    folder_.emplace(*std::move(made));
    fs::create_directory(tree());
  }
  fs::path tree() const { return folder_->path() / "tree"; }

  std::optional<TemporaryFolder> folder_;
};

TEST_F(RemoveTree, TakesFilesFoldersLinksAndWhatIsNotThere) {
  fs::create_directories(folder_->path() / "precious/file");
  fs::create_directories(tree() / "a/b/c");
  fs::create_directories(tree() / "a/empty");
  fs::create_directory_symlink("../../precious", tree() / "a/link");
  ASSERT_EQ(mkfifo((tree() / "a/b/new\nline").c_str(), 0600), 0);
  ASSERT_TRUE(write_file_atomically(tree() / "a/b/c/file", "x").has_value());
  ASSERT_TRUE(write_file_atomically(tree() / ".hone-remove-1", "x").has_value());
  EXPECT_TRUE(remove_tree(tree()).has_value());
  EXPECT_FALSE(fs::exists(tree()));
  EXPECT_TRUE(remove_tree(tree()).has_value());
  fs::create_directory_symlink("precious", tree());
  EXPECT_TRUE(remove_tree(tree()).has_value());
  EXPECT_TRUE(fs::exists(folder_->path() / "precious/file"));
}

TEST_F(RemoveTree, TakesFoldersTooDeepForAPath) {
  const int here = open(".", O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(chdir(tree().c_str()), 0);
  const std::string name(100, 'd');
  for (int depth = 0; depth < 1500; ++depth) {
    ASSERT_EQ(mkdir(name.c_str(), 0700), 0);
    ASSERT_EQ(mkdir("side", 0700), 0);
    ASSERT_EQ(chdir(name.c_str()), 0);
  }
  ASSERT_EQ(fchdir(here), 0);
  close(here);
  const Result<void> removed = remove_tree(tree());
  EXPECT_TRUE(removed.has_value()) << removed.error().message;
  EXPECT_FALSE(fs::exists(tree()));
}

TEST_F(RemoveTree, OpensUpFoldersThatTheirOwnerMayNotChange) {
  fs::create_directories(tree() / "a/b/c");
  ASSERT_TRUE(write_file_atomically(tree() / "a/b/file", "x").has_value());
  chmod((tree() / "a/b/c").c_str(), 0);
  chmod((tree() / "a/b").c_str(), 0);
  chmod((tree() / "a").c_str(), 0500);
  const Result<void> removed = remove_tree(tree());
  EXPECT_TRUE(removed.has_value()) << removed.error().message;
  EXPECT_FALSE(fs::exists(tree()));
}

TEST_F(RemoveTree, EndsWithAStopAndGoesOnTheNextTime) {
  fs::create_directories(tree() / "a/b");
  std::stop_source stop;
  stop.request_stop();
  const Result<void> stopped = remove_tree(tree(), stop.get_token());
  ASSERT_TRUE(stopped.has_error());
  EXPECT_EQ(stopped.error().code, ErrorCode::cancelled);
  EXPECT_TRUE(fs::exists(tree() / "a/b"));
  EXPECT_TRUE(remove_tree(tree()).has_value());
  EXPECT_FALSE(fs::exists(tree()));
}

TEST_F(RemoveTree, SaysWhatItCannotRemove) {
  const Result<void> removed = remove_tree("/proc/self");
  ASSERT_TRUE(removed.has_error());
  EXPECT_NE(removed.error().message.find("/proc/self"), std::string::npos);
}

}  // namespace
}  // namespace hone
