#include "server/store/artifacts/artifact_folder.h"

#include <fstream>

#include <gtest/gtest.h>

#include "common/base/sha256.h"
#include "tests/support/database.h"

namespace hone::test {
namespace {

namespace fs = std::filesystem;

constexpr auto kNoLimit = std::chrono::steady_clock::time_point::max();

class ArtifactFolderTest : public ::testing::Test {
 protected:
  void SetUp() override { folder = *ArtifactFolder::open(temporary.path() / "artifacts"); }
  void TearDown() override {
    folder.reset();
    context.restart();
    context.poll();
  }
  fs::path write(const std::string& content) {
    const fs::path path = temporary.path() / "file";
    std::ofstream(path) << content;
    return path;
  }

  TemporaryFolder temporary = passable_folder();
  boost::asio::io_context context;
  std::unique_ptr<ArtifactFolder> folder;
};

TEST_F(ArtifactFolderTest, GivesBackWhatItKeeps) {
  const std::string hash = sha256_hex("content");
  EXPECT_FALSE(*run_on(context, folder->holds(hash)));
  EXPECT_EQ(run_on(context, folder->read(hash)).error().code, ErrorCode::not_found);
  EXPECT_EQ(run_on(context, folder->local_file(hash)).error().code, ErrorCode::not_found);
  for (int i = 0; i < 2; ++i) {  // once more is no error
    ASSERT_TRUE(run_on(context, folder->keep(hash, write("content"))));
  }
  EXPECT_TRUE(*run_on(context, folder->holds(hash)));
  Result<ArtifactContent> content = run_on(context, folder->read(hash));
  ASSERT_TRUE(content);
  EXPECT_EQ(content->size_bytes, 7);
  EXPECT_TRUE(content->file);
  EXPECT_EQ(*read_file(*run_on(context, folder->local_file(hash)), 100), "content");
}

TEST_F(ArtifactFolderTest, WhatIsRemovedIsGone) {
  const std::string hash = sha256_hex("content");
  ASSERT_TRUE(run_on(context, folder->keep(hash, write("content"))));
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(run_on(context, folder->remove(hash, kNoLimit)));
    EXPECT_FALSE(*run_on(context, folder->holds(hash)));
  }
  EXPECT_TRUE(fs::is_empty(temporary.path() / "artifacts" / "removing"));
}

TEST_F(ArtifactFolderTest, NothingIsRemovedTooLate) {
  const std::string hash = sha256_hex("content");
  const auto until = std::chrono::steady_clock::now();
  // Nothing is begun then; and what a hanging file system moved aside then is put back.
  for (const int calls_in_time : {0, 1}) {
    int calls = 0;
    folder = *ArtifactFolder::open(temporary.path() / "artifacts", [&calls, until, calls_in_time] {
      return calls++ < calls_in_time ? until - std::chrono::seconds(1) : until;
    });
    ASSERT_TRUE(run_on(context, folder->keep(hash, write("content"))));
    const Result<void> removed = run_on(context, folder->remove(hash, until));
    ASSERT_FALSE(removed);
    EXPECT_EQ(removed.error().code, ErrorCode::unavailable);
    EXPECT_EQ(calls, calls_in_time + 1);
    const fs::path file = *run_on(context, folder->local_file(hash));
    EXPECT_EQ(file, temporary.path() / "artifacts" / artifact_key(hash));
    EXPECT_EQ(*read_file(file, 100), "content");
  }
}

TEST_F(ArtifactFolderTest, WhatWasMovedAsideIsThere) {
  const std::string hash = sha256_hex("content");
  const fs::path aside = temporary.path() / "artifacts" / "removing" / hash;
  ASSERT_TRUE(run_on(context, folder->keep(hash, write("content"))));
  fs::create_directory(aside.parent_path());
  fs::rename(*run_on(context, folder->local_file(hash)), aside);
  EXPECT_TRUE(*run_on(context, folder->holds(hash)));
  EXPECT_EQ(*run_on(context, folder->local_file(hash)), aside);
  const Result<ArtifactContent> content = run_on(context, folder->read(hash));
  ASSERT_TRUE(content) << content.error().describe();
  EXPECT_EQ(content->size_bytes, 7);
  EXPECT_TRUE(run_on(context, folder->remove(hash, kNoLimit)));
  EXPECT_FALSE(*run_on(context, folder->holds(hash)));
  EXPECT_FALSE(fs::exists(aside));
}

TEST_F(ArtifactFolderTest, NamesThatAreNoHashNameNothing) {
  for (const std::string name : {"", "../../etc/passwd", "abc"}) {
    EXPECT_FALSE(*run_on(context, folder->holds(name)));
    EXPECT_EQ(run_on(context, folder->read(name)).error().code, ErrorCode::not_found);
    EXPECT_EQ(run_on(context, folder->local_file(name)).error().code, ErrorCode::not_found);
  }
}

}  // namespace
}  // namespace hone::test
