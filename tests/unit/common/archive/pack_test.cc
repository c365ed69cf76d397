#include "common/archive/pack.h"

#include <sys/stat.h>

#include <optional>

#include <gtest/gtest.h>

#include "common/base/file.h"
#include "common/base/sha256.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

class Pack : public testing::Test {
 protected:
  void SetUp() override {
    Result<TemporaryFolder> made = TemporaryFolder::create("pack-test");
    ASSERT_TRUE(made.has_value());
    folder_.emplace(*std::move(made));
    write("src/main.c", "int main(void) { return 0; }\n");
    write("CMakeLists.txt", "project(x C)\n");
    fs::create_symlink("src/main.c", tree() / "link.c");
  }
  fs::path tree() const { return folder_->path() / "tree"; }
  fs::path output(const std::string& name = "a.tar.zst") const { return folder_->path() / name; }
  void write(const std::string& name, const std::string& content) {
    fs::create_directories((tree() / name).parent_path());
    ASSERT_TRUE(write_file_atomically(tree() / name, content).has_value());
  }

  std::optional<TemporaryFolder> folder_;
};

TEST_F(Pack, GivesTheSameBytesForTheSameContent) {
  for (const std::string name : {"a.tar.zst", "a.tar.gz"}) {
    const Result<PackReport> first = pack_folder(tree(), output(name));
    ASSERT_TRUE(first.has_value()) << first.error().message;
    EXPECT_EQ(first->sha256, *sha256_file(output(name)));
    // Other times, modes within their class and another order of creation.
    write("src/main.c", "int main(void) { return 0; }\n");
    chmod((tree() / "CMakeLists.txt").c_str(), 0600);
    const Result<PackReport> second = pack_folder(tree(), output(name));
    ASSERT_TRUE(second.has_value());
    EXPECT_EQ(first->sha256, second->sha256);
    write("src/main.c", "int main(void) { return 1; }\n");
    EXPECT_NE(pack_folder(tree(), output(name))->sha256, first->sha256);
    write("src/main.c", "int main(void) { return 0; }\n");
  }
}

TEST_F(Pack, UnpacksToTheSameTree) {
  write("run.sh", "#!/bin/sh\n");
  chmod((tree() / "run.sh").c_str(), 0700);
  ASSERT_TRUE(pack_folder(tree(), output()).has_value());
  const fs::path out = folder_->path() / "out";
  fs::create_directory(out);
  const Result<UnpackReport> report = unpack_archive(output(), out);
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_EQ(report->entries, 5U);
  EXPECT_EQ(*read_file(out / "link.c", 100), "int main(void) { return 0; }\n");
  EXPECT_TRUE(fs::is_symlink(out / "link.c"));
  struct stat about{};
  ASSERT_EQ(stat((out / "run.sh").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 07777U, 0755U);
}

TEST_F(Pack, LeavesOutVersionControlAndBuildFolders) {
  write(".git/config", "x");
  write("out/CMakeCache.txt", "x");
  write("ninja-out/.ninja_log", "x");
  write("build/cmake/CMakeLists.txt", "a source folder in spite of its name");
  write("data/big.bin", "x");
  mkfifo((tree() / "pipe").c_str(), 0600);
  const Result<PackReport> report = pack_folder(tree(), output(), {.exclude = {"data/*"}});
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_EQ(report->left_out,
            (std::vector<std::string>{".git", "data/big.bin", "ninja-out", "out", "pipe"}));
  const fs::path out = folder_->path() / "out";
  fs::create_directory(out);
  ASSERT_TRUE(unpack_archive(output(), out).has_value());
  EXPECT_TRUE(fs::exists(out / "build/cmake/CMakeLists.txt"));
  EXPECT_FALSE(fs::exists(out / ".git"));
}

TEST_F(Pack, LeavesOutFilesThatHoldASecret) {
  write("hone.key", "-----BEGIN PRIVATE KEY-----\nMC4CAQ\n-----END PRIVATE KEY-----\n");
  write("ci/hone.token", "hone_" + std::string(64, '7') + "\n");
  write("tests/server.key", "-----BEGIN RSA PRIVATE KEY-----\n");
  const Result<PackReport> report = pack_folder(tree(), output(), {.secrets = {"tests/*"}});
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_EQ(report->secrets, (std::vector<LeftSecret>{{"ci/hone.token", "a Hone token"},
                                                      {"hone.key", "a private key"}}));
  const fs::path out = folder_->path() / "out";
  fs::create_directory(out);
  const Result<UnpackReport> unpacked = unpack_archive(output(), out);
  ASSERT_TRUE(unpacked.has_value());
  EXPECT_EQ(unpacked->entries, report->entries);
  EXPECT_FALSE(fs::exists(out / "hone.key"));
  EXPECT_FALSE(fs::exists(out / "ci/hone.token"));
  EXPECT_TRUE(fs::exists(out / "tests/server.key"));
}

TEST_F(Pack, PacksOnlyTheFilesThatWereNamed) {
  write("src/new.c", "x");
  write("notes/todo.txt", "x");
  write("src-other/x.c", "x");
  const Result<PackReport> report =
      pack_folder(tree(), output(), {.only = {{"link.c", "src/main.c", "gone.c"}}});
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_EQ(report->entries, 3U);
  const fs::path out = folder_->path() / "out";
  fs::create_directory(out);
  ASSERT_TRUE(unpack_archive(output(), out).has_value());
  EXPECT_TRUE(fs::exists(out / "link.c"));
  EXPECT_FALSE(fs::exists(out / "src/new.c"));
  EXPECT_FALSE(fs::exists(out / "notes"));
  EXPECT_FALSE(fs::exists(out / "src-other"));
}

TEST_F(Pack, DoesNotPackItself) {
  const Result<PackReport> first = pack_folder(tree(), tree() / "a.tar.zst");
  const Result<PackReport> second = pack_folder(tree(), tree() / "a.tar.zst");
  ASSERT_TRUE(first.has_value() && second.has_value());
  EXPECT_EQ(first->sha256, second->sha256);
}

TEST_F(Pack, RefusesWhatCouldNotBeUnpacked) {
  fs::create_symlink("/etc/passwd", tree() / "evil");
  const Result<PackReport> report = pack_folder(tree(), output());
  ASSERT_TRUE(report.has_error());
  EXPECT_EQ(report.error().code, ErrorCode::invalid_argument);
  EXPECT_NE(report.error().message.find("evil"), std::string::npos);
  EXPECT_FALSE(fs::exists(output()));
  fs::remove(tree() / "evil");
  EXPECT_EQ(pack_folder(tree(), output(), {}, {.total_bytes = 10}).error().code,
            ErrorCode::too_large);
  EXPECT_EQ(pack_folder(tree() / "none", output()).error().code, ErrorCode::not_found);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_->path()), fs::directory_iterator()), 1)
      << "no temporary file may stay";
}

}  // namespace
}  // namespace hone
