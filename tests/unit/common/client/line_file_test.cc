#include "common/client/line_file.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

class LineFileTest : public ::testing::Test {
 protected:
  std::string text() const { return *read_file(path_, 1U << 20U); }
  TemporaryFolder folder_ = *TemporaryFolder::create("hone-log-file-test-");
  std::filesystem::path path_ = folder_.path() / "log.ndjson";
};

TEST_F(LineFileTest, GoesOnWhereItWas) {
  {
    Result<LineFile> file = LineFile::open(path_);
    ASSERT_TRUE(file) << file.error().describe();
    EXPECT_EQ(file->cursor(), "");
    ASSERT_TRUE(file->append("{\"a\":1}\n", "5-1"));
    ASSERT_TRUE(file->append("{\"a\":2}\n", "5-2"));
  }
  Result<LineFile> again = LineFile::open(path_);
  ASSERT_TRUE(again) << again.error().describe();
  EXPECT_EQ(again->cursor(), "5-2");
  ASSERT_TRUE(again->append("{\"a\":3}\n", "7-1"));
  EXPECT_EQ(text(), "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n");
}

TEST_F(LineFileTest, WhatWasWrittenPastTheCursorIsCutOff) {
  {
    Result<LineFile> file = LineFile::open(path_);
    ASSERT_TRUE(file->append("{\"a\":1}\n", "5-1"));
  }
  ASSERT_TRUE(
      write_file_atomically(path_, text() + "{\"a\":2}\n{\"a"));  // killed before the cursor
  Result<LineFile> again = LineFile::open(path_);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->cursor(), "5-1");
  ASSERT_TRUE(again->append("{\"a\":2}\n", "5-2"));
  EXPECT_EQ(text(), "{\"a\":1}\n{\"a\":2}\n");
}

TEST_F(LineFileTest, AFirstPageThatFailedIsBegunAgain) {
  {
    ASSERT_TRUE(LineFile::open(path_));
  }
  ASSERT_TRUE(write_file_atomically(path_, "{\"a"));  // the disk was full
  Result<LineFile> again = LineFile::open(path_);
  ASSERT_TRUE(again) << again.error().describe();
  EXPECT_EQ(again->cursor(), "");
  EXPECT_EQ(text(), "");
}

TEST_F(LineFileTest, ACursorThatIsNotTheFilesCutsNothingOff) {
  {
    Result<LineFile> file = LineFile::open(path_);
    ASSERT_TRUE(file->append("{\"a\":1}\n", "5-1"));
  }
  ASSERT_TRUE(
      write_file_atomically(path_.string() + ".cursor", "{\"cursor\": \"5-1\", \"bytes\": 3}"));
  EXPECT_EQ(LineFile::open(path_).error().code, ErrorCode::conflict);
  EXPECT_EQ(text(), "{\"a\":1}\n");
}

TEST_F(LineFileTest, AnotherFileIsLeftAlone) {
  ASSERT_TRUE(write_file_atomically(path_, "mine\n"));
  const Result<LineFile> file = LineFile::open(path_);
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, ErrorCode::conflict);
  EXPECT_NE(file.error().message.find("log.ndjson.cursor"), std::string::npos);
  EXPECT_EQ(text(), "mine\n");
}

TEST_F(LineFileTest, AFileThatLostItsEndIsNotGoneOnWith) {
  {
    Result<LineFile> file = LineFile::open(path_);
    ASSERT_TRUE(file->append("{\"a\":1}\n", "5-1"));
  }
  ASSERT_TRUE(write_file_atomically(path_, "{\"a"));
  EXPECT_EQ(LineFile::open(path_).error().code, ErrorCode::conflict);
  ASSERT_TRUE(write_file_atomically(path_.string() + ".cursor", "{\"cursor\": 5}"));
  EXPECT_EQ(LineFile::open(path_).error().code, ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace hone
