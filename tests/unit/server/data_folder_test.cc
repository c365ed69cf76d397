#include "server/data_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace hone {
namespace {

mode_t mode_of(const std::filesystem::path& path) {
  struct stat info = {};
  return stat(path.c_str(), &info) == 0 ? info.st_mode & 0777 : 0;
}

TEST(DataFolder, SecondOneIsRefusedWithTheFirstOnesPid) {
  const TemporaryFolder folder = *TemporaryFolder::create("data");
  const std::filesystem::path path = folder.path() / "deep" / "hone";
  {
    const Result<DataFolder> first = DataFolder::open(path);
    ASSERT_TRUE(first.has_value()) << first.error().describe();
    const Result<DataFolder> second = DataFolder::open(path);
    ASSERT_FALSE(second.has_value());
    EXPECT_EQ(second.error().code, ErrorCode::conflict);
    EXPECT_NE(second.error().message.find("process " + std::to_string(getpid())),
              std::string::npos);
    EXPECT_NE(second.error().message.find(path.string()), std::string::npos);
  }
  // The lock goes with its holder, and a file that was left does not hold it.
  EXPECT_TRUE(std::filesystem::exists(path / "honed.lock"));
  EXPECT_TRUE(DataFolder::open(path).has_value());
}

TEST(DataFolder, MayBePassedThroughButNotListed) {
  const TemporaryFolder folder = *TemporaryFolder::create("data");
  const Result<DataFolder> data = DataFolder::open((folder.path() / "hone/").string());
  ASSERT_TRUE(data.has_value());
  EXPECT_EQ(mode_of(folder.path() / "hone") & 0066U, 0U);
  EXPECT_EQ(data->path(), folder.path() / "hone");
  EXPECT_EQ(mode_of(data->artifacts()), 0700U);
}

TEST(DataFolder, TokenIsForItsOwnerOnly) {
  const TemporaryFolder folder = *TemporaryFolder::create("data");
  Result<DataFolder> data = DataFolder::open(folder.path() / "hone");
  ASSERT_TRUE(data.has_value());
  EXPECT_FALSE(std::filesystem::exists(data->token_file()));
  ASSERT_TRUE(data->write_token("hone_secret").has_value());
  EXPECT_TRUE(std::filesystem::exists(data->token_file()));
  EXPECT_EQ(mode_of(data->token_file()), 0600U);
  EXPECT_EQ(*read_file(data->token_file(), 100), "hone_secret\n");
  EXPECT_TRUE(data->remove_token().has_value());
  EXPECT_FALSE(std::filesystem::exists(data->token_file()));
  EXPECT_TRUE(data->remove_token().has_value());
}

TEST(DataFolder, AddressIsThereWhileItRuns) {
  const TemporaryFolder folder = *TemporaryFolder::create("data");
  const std::filesystem::path address = folder.path() / "hone" / "honed.address";
  {
    Result<DataFolder> data = DataFolder::open(folder.path() / "hone");
    ASSERT_TRUE(data->write_address("127.0.0.1:7077").has_value());
    const DataFolder moved = *std::move(data);
    EXPECT_EQ(*read_file(address, 100), "127.0.0.1:7077\n");
  }
  EXPECT_FALSE(std::filesystem::exists(address));
}

TEST(DataFolder, WhatCannotBeMadeIsTold) {
  const TemporaryFolder folder = *TemporaryFolder::create("data");
  ASSERT_TRUE(write_file_atomically(folder.path() / "file", "x").has_value());
  EXPECT_EQ(DataFolder::open(folder.path() / "file").error().code, ErrorCode::io_failed);
  EXPECT_EQ(DataFolder::open("").error().code, ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace hone
