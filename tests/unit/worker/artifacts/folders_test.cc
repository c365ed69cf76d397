#include "worker/artifacts/folders.h"

#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "common/base/file.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

TEST(Folders, AnEmptyFolderIsMadeOfWhateverWasThere) {
  Result<TemporaryFolder> top = TemporaryFolder::create("folders-test");
  ASSERT_TRUE(top.has_value());
  const fs::path folder = top->path() / "f";
  fs::create_directories(folder / "a/b");
  fs::permissions(folder / "a", fs::perms::owner_read | fs::perms::owner_exec);
  ASSERT_TRUE(make_empty_folder(folder, 0751).has_value());
  EXPECT_TRUE(fs::is_empty(folder));
  struct stat about{};
  ASSERT_EQ(stat(folder.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 07777U, 0751U);
}

TEST(Folders, ALinkIsNoFolderAndIsRemovedNotFollowed) {
  Result<TemporaryFolder> top = TemporaryFolder::create("folders-test");
  ASSERT_TRUE(top.has_value());
  fs::create_directories(top->path() / "precious/file");
  fs::create_symlink("precious", top->path() / "f");
  EXPECT_EQ(make_folder(top->path() / "f", 0755).error().code, ErrorCode::conflict);
  ASSERT_TRUE(make_empty_folder(top->path() / "f", 0755).has_value());
  EXPECT_TRUE(fs::exists(top->path() / "precious/file"));
}

TEST(Folders, GivesATreeAwayWithoutFollowingLinks) {
  if (geteuid() != 0) {
    GTEST_SKIP() << "needs root";
  }
  Result<TemporaryFolder> top = TemporaryFolder::create("folders-test");
  ASSERT_TRUE(top.has_value());
  fs::create_directories(top->path() / "tree/a");
  fs::create_directory(top->path() / "outside");
  fs::create_symlink("../outside", top->path() / "tree/link");
  ASSERT_TRUE(give_tree(top->path() / "tree", Owner{65534, 65534}).has_value());
  struct stat about{};
  ASSERT_EQ(stat((top->path() / "tree/a").c_str(), &about), 0);
  EXPECT_EQ(about.st_uid, 65534U);
  ASSERT_EQ(stat((top->path() / "outside").c_str(), &about), 0);
  EXPECT_EQ(about.st_uid, 0U);
}

}  // namespace
}  // namespace hone
