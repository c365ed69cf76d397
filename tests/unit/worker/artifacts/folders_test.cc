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

TEST(Folders, TakesATreeWithoutFollowingLinks) {
  if (geteuid() != 0) {
    GTEST_SKIP() << "needs root";
  }
  Result<TemporaryFolder> top = TemporaryFolder::create("folders-test");
  ASSERT_TRUE(top.has_value());
  fs::create_directories(top->path() / "tree/a");
  fs::create_directory(top->path() / "outside");
  ASSERT_TRUE(write_file_atomically(top->path() / "tree/a/secret", "x", 0600).has_value());
  ASSERT_TRUE(write_file_atomically(top->path() / "tree/a/run", "x", 0777).has_value());
  fs::create_symlink("../outside", top->path() / "tree/link");
  for (const char* name : {"tree", "tree/a", "tree/a/secret", "outside"}) {
    ASSERT_EQ(chown((top->path() / name).c_str(), 65534, 65534), 0);
  }
  chmod((top->path() / "outside").c_str(), 0700);
  ASSERT_TRUE(take_tree(top->path() / "tree").has_value());
  const auto about = [&](const char* name) {
    struct stat found{};
    EXPECT_EQ(stat((top->path() / name).c_str(), &found), 0);
    return std::pair(found.st_uid, found.st_mode & 07777U);
  };
  EXPECT_EQ(about("tree/a"), std::pair(0U, 0755U));
  EXPECT_EQ(about("tree/a/secret"), std::pair(0U, 0644U));
  EXPECT_EQ(about("tree/a/run"), std::pair(0U, 0755U));
  EXPECT_EQ(about("outside"), std::pair(65534U, 0700U));
}

TEST(Folders, ALinkOrFifoOfAJobIsNoFile) {
  Result<TemporaryFolder> top = TemporaryFolder::create("folders-test");
  ASSERT_TRUE(top.has_value());
  fs::create_symlink("/etc/passwd", top->path() / "link");
  ASSERT_EQ(mkfifo((top->path() / "fifo").c_str(), 0666), 0);
  ASSERT_TRUE(write_file_atomically(top->path() / "file", "x").has_value());
  EXPECT_EQ(read_job_file(top->path() / "link", 100000).error().code, ErrorCode::not_found);
  EXPECT_EQ(read_job_file(top->path() / "fifo", 100000).error().code, ErrorCode::not_found);
  EXPECT_EQ(*read_job_file(top->path() / "file", 100000), "x");
}

}  // namespace
}  // namespace hone
