#include "server/store/artifact_folder.h"

#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include <gtest/gtest.h>

#include "common/base/sha256.h"
#include "tests/support/database.h"

namespace hone::test {
namespace {

namespace fs = std::filesystem;

class ArtifactFolderTest : public ::testing::Test {
 protected:
  void SetUp() override { open(1 << 20); }
  void TearDown() override {
    folder.reset();
    context.restart();
    context.poll();
  }
  void open(std::int64_t limit) {
    folder.reset();
    auto opened = ArtifactFolder::open(place(), limit);
    ASSERT_TRUE(opened) << opened.error().describe();
    folder = *std::move(opened);
  }
  fs::path place() const { return temporary.path() / "artifacts"; }
  Result<std::int64_t> store(const std::string& content, const std::string& name) {
    auto begun = folder->begin(name);
    if (!begun) {
      return begun.error();
    }
    ArtifactUpload upload = *std::move(begun);
    for (std::size_t at = 0; at < content.size(); at += 100'000) {
      const Result<void> appended =
          run_on(context, upload.append(std::string_view(content).substr(at, 100'000)));
      if (!appended) {
        return appended.error();
      }
    }
    return run_on(context, upload.finish());
  }
  // Files below the folder, once the disk thread has done what it was given.
  std::size_t files() {
    folder.reset();
    std::size_t count = 0;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(place())) {
      count += entry.is_regular_file() ? 1 : 0;
    }
    return count;
  }

  TemporaryFolder temporary = passable_folder();
  boost::asio::io_context context;
  std::unique_ptr<ArtifactFolder> folder;
};

TEST_F(ArtifactFolderTest, GivesBackWhatWasStored) {
  const std::string content(300'000, 'x');
  const std::string hash = sha256_hex(content);
  EXPECT_EQ(folder->read(hash).error().code, ErrorCode::not_found);
  EXPECT_EQ(*store(content, hash), 300'000);
  const Result<ArtifactFile> file = folder->read(hash);
  ASSERT_TRUE(file);
  EXPECT_EQ(file->size_bytes, 300'000);
  EXPECT_EQ(*read_file(folder->path_of(hash), 1 << 20), content);
  // Once more is no error.
  EXPECT_TRUE(store(content, hash));
  EXPECT_EQ(files(), 1U);
}

TEST_F(ArtifactFolderTest, StoresAnEmptyOne) {
  EXPECT_EQ(*store("", sha256_hex("")), 0);
  EXPECT_TRUE(folder->read(sha256_hex("")));
}

TEST_F(ArtifactFolderTest, RefusesAnotherContentThanAnnounced) {
  const std::string hash = sha256_hex("announced");
  const auto stored = store("something else", hash);
  ASSERT_FALSE(stored);
  EXPECT_EQ(stored.error().code, ErrorCode::invalid_argument);
  EXPECT_FALSE(folder->read(hash));
  EXPECT_EQ(files(), 0U);
}

TEST_F(ArtifactFolderTest, RefusesOneThatIsTooLarge) {
  open(1000);
  const std::string content(1001, 'x');
  const auto stored = store(content, sha256_hex(content));
  ASSERT_FALSE(stored);
  EXPECT_EQ(stored.error().code, ErrorCode::too_large);
  const std::string fits(1000, 'x');
  EXPECT_TRUE(store(fits, sha256_hex(fits)));
  EXPECT_EQ(files(), 1U);
}

TEST_F(ArtifactFolderTest, RefusesNamesThatAreNoHash) {
  for (const std::string name : {"", "../../etc/passwd", "abc"}) {
    EXPECT_EQ(folder->begin(name).error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(folder->read(name).error().code, ErrorCode::not_found);
  }
  EXPECT_FALSE(folder->begin(std::string(64, 'A')));
}

TEST_F(ArtifactFolderTest, AnAbandonedUploadLeavesNothing) {
  {
    auto upload = folder->begin(sha256_hex("x"));
    ASSERT_TRUE(upload);
    ASSERT_TRUE(run_on(context, upload->append("half of")));
  }
  EXPECT_EQ(files(), 0U);
}

TEST_F(ArtifactFolderTest, OpeningRemovesWhatACrashLeft) {
  std::ofstream(place() / "uploads" / "left over") << "half of";
  open(1000);
  EXPECT_EQ(files(), 0U);
}

TEST_F(ArtifactFolderTest, ManyUploadsGoOnAtOnce) {
  const std::string first(200'000, 'a');
  const std::string second(200'000, 'b');
  auto one = folder->begin(sha256_hex(first));
  auto two = folder->begin(sha256_hex(second));
  auto same = folder->begin(sha256_hex(first));
  for (std::size_t at = 0; at < first.size(); at += 50'000) {
    ASSERT_TRUE(run_on(context, one->append(std::string_view(first).substr(at, 50'000))));
    ASSERT_TRUE(run_on(context, two->append(std::string_view(second).substr(at, 50'000))));
    ASSERT_TRUE(run_on(context, same->append(std::string_view(first).substr(at, 50'000))));
  }
  EXPECT_TRUE(run_on(context, one->finish()));
  EXPECT_TRUE(run_on(context, two->finish()));
  EXPECT_TRUE(run_on(context, same->finish()));
}

TEST_F(ArtifactFolderTest, AFullDiskIsSaidAndLeavesNothing) {
  const std::string content(800'000, 'x');
  const bool mounted =
      ::geteuid() == 0 &&
      ::mount("hone-test", (temporary.path() / "artifacts").c_str(), "tmpfs", 0, "size=256k") == 0;
  rlimit before{};
  if (mounted) {
    open(1 << 20);
  } else {
    // No small disk to be had: a limit on the size of files ends the write the same way.
    ::getrlimit(RLIMIT_FSIZE, &before);
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{256 * 1024, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  }
  const auto stored = store(content, sha256_hex(content));
  EXPECT_FALSE(stored);
  if (!stored) {
    EXPECT_EQ(stored.error().code, ErrorCode::unavailable);
    EXPECT_NE(stored.error().message.find("full"), std::string::npos) << stored.error().message;
  }
  const std::string fits(100'000, 'y');
  folder.reset();
  if (!mounted) {
    ::setrlimit(RLIMIT_FSIZE, &before);
  }
  open(1 << 20);
  EXPECT_TRUE(store(fits, sha256_hex(fits)));
  EXPECT_EQ(files(), 1U);
  if (mounted) {
    EXPECT_EQ(::umount((temporary.path() / "artifacts").c_str()), 0);
  }
}

}  // namespace
}  // namespace hone::test
