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

TEST(Folders, KeepsAFolderOfItsOwnerAndNoOther) {
  Result<TemporaryFolder> top = TemporaryFolder::create("folders-test");
  ASSERT_TRUE(top.has_value());
  const fs::path folder = top->path() / "f";
  ASSERT_TRUE(keep_folder(folder, 0700, std::nullopt).has_value());
  ASSERT_TRUE(write_file_atomically(folder / "x", "x").has_value());
  ASSERT_TRUE(keep_folder(folder, 0700, std::nullopt).has_value());
  EXPECT_TRUE(fs::exists(folder / "x"));
  if (geteuid() != 0) {
    GTEST_SKIP() << "the rest needs root";
  }
  ASSERT_TRUE(keep_folder(folder, 0700, Owner{60800, 60800}).has_value());
  EXPECT_TRUE(fs::is_empty(folder));
  EXPECT_TRUE(is_folder_of(folder, Owner{60800, 60800}));
  EXPECT_FALSE(is_folder_of(folder, Owner{60801, 60801}));
  EXPECT_FALSE(is_folder_of(folder, std::nullopt));
}

TEST(Folders, OpensFilesOfAJobThatLieInItsFolder) {
  Result<TemporaryFolder> top = TemporaryFolder::create("folders-test");
  ASSERT_TRUE(top.has_value());
  const fs::path job = top->path() / "job";
  fs::create_directories(job / "lib");
  ASSERT_TRUE(write_file_atomically(job / "lib/x.so.1", "inside").has_value());
  ASSERT_TRUE(write_file_atomically(top->path() / "secret", "outside").has_value());
  fs::create_symlink("x.so.1", job / "lib/x.so");
  fs::create_symlink(job / "lib/x.so.1", job / "absolute");
  fs::create_directory_symlink("lib", job / "lib64");
  fs::create_symlink("../secret", job / "up");
  fs::create_symlink("/etc/passwd", job / "passwd");
  fs::create_directory_symlink("..", job / "out");
  fs::create_symlink("/proc/self/environ", job / "environ");
  fs::create_symlink("loop", job / "loop");
  ASSERT_EQ(mkfifo((job / "fifo").c_str(), 0666), 0);
  for (const char* good : {"lib/x.so.1", "lib/x.so", "absolute", "lib64/x.so", "lib/../absolute"}) {
    const Result<UniqueFd> file = open_job_file(job, good);
    ASSERT_TRUE(file.has_value()) << good;
    EXPECT_EQ(*read_file(path_of(*file), 100), "inside") << good;
  }
  for (const char* bad : {"up", "passwd", "out/secret", "environ", "loop", "fifo", "lib", ".",
                          "none", "../secret", "/etc/passwd"}) {
    EXPECT_EQ(open_job_file(job, bad).error().code, ErrorCode::not_found) << bad;
  }
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
