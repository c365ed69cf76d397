#include "common/base/new_file.h"

#include <sys/stat.h>

#include <gtest/gtest.h>

namespace hone {
namespace {

class NewFileTest : public testing::Test {
 protected:
  std::filesystem::path path(const char* name) { return folder_.path() / name; }
  TemporaryFolder folder_ = *TemporaryFolder::create("hone-new-file-test");
};

TEST_F(NewFileTest, IsThereBeforeItIsWrittenAndStaysWithWhatWas) {
  {
    Result<NewFile> file = NewFile::create(path("x"), 0600);
    ASSERT_TRUE(file.has_value()) << file.error().message;
    EXPECT_TRUE(std::filesystem::exists(path("x")));
    NewFile moved = *std::move(file);
    ASSERT_TRUE(moved.write("secret\n"));
  }
  EXPECT_EQ(*read_file(path("x"), 100), "secret\n");
  struct stat status{};
  ASSERT_EQ(stat(path("x").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(NewFileTest, IsGoneUnlessItWasWritten) {
  {
    const Result<NewFile> file = NewFile::create(path("x"), 0600);
    ASSERT_TRUE(file.has_value());
  }
  EXPECT_FALSE(std::filesystem::exists(path("x")));
}

TEST_F(NewFileTest, OverwritesNothing) {
  ASSERT_TRUE(write_file_atomically(path("x"), "another secret"));
  EXPECT_EQ(NewFile::create(path("x"), 0600).error().code, ErrorCode::conflict);
  EXPECT_EQ(*read_file(path("x"), 100), "another secret");
  EXPECT_EQ(NewFile::create(path("none/x"), 0600).error().code, ErrorCode::io_failed);
}

TEST_F(NewFileTest, ADeviceIsWrittenTo) {
  Result<NewFile> device = NewFile::create("/dev/null", 0600);
  ASSERT_TRUE(device.has_value());
  EXPECT_TRUE(device->write("x"));
  EXPECT_TRUE(std::filesystem::exists("/dev/null"));
}

}  // namespace
}  // namespace hone
