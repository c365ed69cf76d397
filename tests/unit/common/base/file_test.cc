#include "common/base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <fstream>

#include <gtest/gtest.h>

namespace hone {
namespace {

class FileTest : public testing::Test {
 protected:
  std::filesystem::path path(const char* name) { return folder_.path() / name; }
  TemporaryFolder folder_ = *TemporaryFolder::create("hone-file-test");
};

TEST_F(FileTest, ReadsWhatWasWritten) {
  const std::string content("a\0b\n", 4);
  ASSERT_TRUE(write_file_atomically(path("x"), content, 0600));
  EXPECT_EQ(*read_file(path("x"), 100), content);
  struct stat status{};
  ASSERT_EQ(stat(path("x").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(FileTest, AMissingFileIsNotFound) {
  EXPECT_EQ(read_file(path("none"), 100).error().code, ErrorCode::not_found);
}

TEST_F(FileTest, AFilePastTheLimitIsTooLarge) {
  ASSERT_TRUE(write_file_atomically(path("x"), "12345"));
  EXPECT_TRUE(read_file(path("x"), 5));
  EXPECT_EQ(read_file(path("x"), 4).error().code, ErrorCode::too_large);
}

TEST_F(FileTest, AFailedWriteLeavesTheOldFileAndNoOther) {
  std::filesystem::create_directory(path("folder"));
  std::ofstream(path("folder") / "inside") << "x";
  // A folder that is not empty cannot be replaced by a file.
  EXPECT_FALSE(write_file_atomically(path("folder"), "new"));
  EXPECT_TRUE(std::filesystem::exists(path("folder") / "inside"));
  int entries = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    ++entries;
  }
  EXPECT_EQ(entries, 1);
}

TEST_F(FileTest, WhatIsNoRegularFileIsWrittenToAndStays) {
  const std::filesystem::path pipe = folder_.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const UniqueFd reader(::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  ASSERT_TRUE(reader);
  ASSERT_TRUE(write_file_atomically(pipe, "through"));
  char got[16] = {};
  EXPECT_EQ(::read(reader.get(), got, sizeof got), 7);
  EXPECT_STREQ(got, "through");
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
}

TEST_F(FileTest, AFolderThatTakesNoFileIsAnIoFailure) {
  EXPECT_EQ(write_file_atomically("/proc/none/x", "new").error().code, ErrorCode::io_failed);
}

TEST_F(FileTest, ATemporaryFolderGoesWithItsContent) {
  std::filesystem::path where;
  {
    const TemporaryFolder inner = *TemporaryFolder::create("inner", folder_.path());
    where = inner.path();
    std::ofstream(where / "x") << "x";
    EXPECT_TRUE(std::filesystem::exists(where / "x"));
  }
  EXPECT_FALSE(std::filesystem::exists(where));
}

TEST_F(FileTest, WhatIsThereAlreadyIsNotWrittenAgain) {
  const TemporaryFolder folder = *TemporaryFolder::create("file-test");
  const std::filesystem::path path = folder.path() / "new" / "a";
  EXPECT_TRUE(*write_file_if_changed(path, "one"));
  const auto time = std::filesystem::last_write_time(path) - std::chrono::hours(1);
  std::filesystem::last_write_time(path, time);
  EXPECT_FALSE(*write_file_if_changed(path, "one"));
  EXPECT_EQ(std::filesystem::last_write_time(path), time);
  EXPECT_TRUE(*write_file_if_changed(path, "on"));
  EXPECT_TRUE(*write_file_if_changed(path, "one and more"));
  EXPECT_EQ(*read_file(path, 100), "one and more");
}

TEST(FolderOf, IsWhatDirnameGives) {
  EXPECT_EQ(folder_of("a/b.c"), "a");
  EXPECT_EQ(folder_of("b.c"), ".");
  EXPECT_EQ(folder_of("/b.c"), "/");
}

}  // namespace
}  // namespace hone
