#include "common/archive/tar_stream.h"

#include <filesystem>
#include <map>

#include <gtest/gtest.h>

#include "common/base/file.h"

namespace hone {
namespace {

class TarStreamTest : public testing::Test {
 protected:
  std::filesystem::path path() const { return folder_.path() / "a.tar"; }

  void write() {
    Result<TarWriter> writer = TarWriter::create(path());
    ASSERT_TRUE(writer.has_value());
    ASSERT_TRUE(write_file_atomically(folder_.path() / "file", large_).has_value());
    ASSERT_TRUE(writer->add_file("folder/large", folder_.path() / "file").has_value());
    ASSERT_TRUE(writer->add_text("small", "text").has_value());
    ASSERT_TRUE(writer->finish().has_value());
  }

  Result<std::map<std::string, std::string>> read() {
    std::map<std::string, std::string> files;
    const Result<void> done =
        read_tar(path(), [&](const std::string& name, std::int64_t, const TarBytes& next) {
          return take(files[name], next);
        });
    if (!done) {
      return done.error();
    }
    return files;
  }

  static Result<void> take(std::string& content, const TarBytes& next) {
    while (true) {
      HONE_TRY(const std::string_view bytes, next());
      if (bytes.empty()) {
        return {};
      }
      content += bytes;
    }
  }

  TemporaryFolder folder_ = *TemporaryFolder::create("tar-stream-");
  std::string large_ = std::string(1'000'000, 'x') + "end";
};

TEST_F(TarStreamTest, WhatWasWrittenIsRead) {
  write();
  const Result<std::map<std::string, std::string>> files = read();
  ASSERT_TRUE(files.has_value()) << files.error().message;
  EXPECT_EQ(files->at("folder/large"), large_);
  EXPECT_EQ(files->at("small"), "text");
  EXPECT_EQ(files->size(), 2U);
}

TEST_F(TarStreamTest, AnArchiveThatIsThereIsNotWrittenOver) {
  write();
  EXPECT_EQ(TarWriter::create(path()).error().code, ErrorCode::conflict);
}

TEST_F(TarStreamTest, OneThatWasCutWithinAFileIsRefused) {
  write();
  std::filesystem::resize_file(path(), 500'000);
  EXPECT_EQ(read().error().code, ErrorCode::invalid_argument);
}

TEST_F(TarStreamTest, WhatIsNoneIsRefused) {
  ASSERT_TRUE(write_file_atomically(path(), "no archive at all, but long enough").has_value());
  EXPECT_EQ(read().error().code, ErrorCode::invalid_argument);
  std::filesystem::remove(path());
  EXPECT_EQ(read().error().code, ErrorCode::not_found);
}

TEST_F(TarStreamTest, AnErrorOfTheReaderEndsTheReading) {
  write();
  const Result<void> done =
      read_tar(path(), [](const std::string&, std::int64_t, const TarBytes&) -> Result<void> {
        return fail(ErrorCode::cancelled, "enough");
      });
  EXPECT_EQ(done.error().code, ErrorCode::cancelled);
}

TEST_F(TarStreamTest, ATarWithinATarIsRead) {
  write();
  std::filesystem::rename(path(), folder_.path() / "inner.tar");
  Result<TarWriter> writer = TarWriter::create(path());
  ASSERT_TRUE(writer->add_file("inner.tar", folder_.path() / "inner.tar").has_value());
  ASSERT_TRUE(writer->finish().has_value());
  std::map<std::string, std::string> files;
  const TakeTarFile inner = [&](const std::string& name, std::int64_t, const TarBytes& next) {
    return take(files[name], next);
  };
  const Result<void> done =
      read_tar(path(), [&](const std::string&, std::int64_t, const TarBytes& next) {
        return read_tar(next, "inner.tar", inner);
      });
  ASSERT_TRUE(done.has_value()) << done.error().message;
  EXPECT_EQ(files.at("folder/large"), large_);
}

}  // namespace
}  // namespace hone
