#include "staging/runner/output_files.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <optional>

#include <gtest/gtest.h>

#include "common/base/file.h"
#include "common/base/sha256.h"

namespace hone {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

class OutputFiles : public testing::Test {
 protected:
  void SetUp() override {
    Result<TemporaryFolder> made = TemporaryFolder::create("outputs-test");
    ASSERT_TRUE(made.has_value());
    folder_.emplace(*std::move(made));
    fs::create_directory(root());
    open_ = UniqueFd(open(root().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    ASSERT_TRUE(open_);
  }
  fs::path root() const { return folder_->path() / "run"; }
  void put(const std::string& name, const std::string& text = "text") const {
    fs::create_directories((root() / name).parent_path());
    ASSERT_TRUE(write_file_atomically(root() / name, text).has_value());
  }
  Names found(const Names& patterns) const {
    const Result<Names> names = find_output_files(open_.get(), patterns);
    EXPECT_TRUE(names.has_value()) << names.error().message;
    return names ? *names : Names{};
  }
  Result<std::vector<WrittenOutput>> read(const Names& patterns, uid_t owner = geteuid()) const {
    KeptText kept = KeptText::beginning();
    return read_output_files(open_.get(), patterns, owner, kept);
  }
  // What reading them ends with.
  std::string refusal(const Names& patterns, ErrorCode code = ErrorCode::invalid_argument) const {
    const auto outputs = read(patterns);
    EXPECT_TRUE(outputs.has_error());
    if (outputs.has_error()) {
      EXPECT_EQ(outputs.error().code, code) << outputs.error().message;
      return outputs.error().message;
    }
    return "";
  }

  std::optional<TemporaryFolder> folder_;
  UniqueFd open_;
};

TEST_F(OutputFiles, AreFoundByPathAndByGlob) {
  for (const char* name : {"sum.txt", "log", "parts/1.csv", "parts/deep/2.csv", "other/3.csv"}) {
    put(name);
  }
  EXPECT_EQ(found({"sum.txt", "absent", "no/such/folder"}), Names{"sum.txt"});
  EXPECT_EQ(found({"parts/*.csv"}), (Names{"parts/1.csv", "parts/deep/2.csv"}));
  EXPECT_EQ(found({"*"}),
            (Names{"log", "other/3.csv", "parts/1.csv", "parts/deep/2.csv", "sum.txt"}));
  EXPECT_EQ(found({"l?g", "log", "absent/*"}), Names{"log"});
}

TEST_F(OutputFiles, TheirContentIsHashedAndItsBeginningKept) {
  put("b", "second");
  put("a", std::string(std::size_t{3} << 20U, 'x'));
  const auto outputs = read({"b", "a"});
  ASSERT_TRUE(outputs.has_value()) << outputs.error().message;
  ASSERT_EQ(outputs->size(), 2U);
  EXPECT_EQ((*outputs)[0].name, "a");
  EXPECT_EQ((*outputs)[0].kind, OutputKind::file);
  EXPECT_EQ((*outputs)[0].sha256, sha256_hex(std::string(std::size_t{3} << 20U, 'x')));
  EXPECT_EQ((*outputs)[0].bytes, std::uint64_t{3} << 20U);
  EXPECT_EQ((*outputs)[0].text.size(), std::size_t{1} << 20U);
  EXPECT_EQ((*outputs)[1].text, "second");
  EXPECT_EQ(describe((*outputs)[1]), "file 'b'");
}

TEST_F(OutputFiles, WhatMustBeKeptWholeHasALimit) {
  put("a", std::string(1000, 'x'));
  KeptText kept = KeptText::whole();
  ASSERT_TRUE(kept.take((std::uint64_t{64} << 20U) - 1000).has_value());
  auto outputs = read_output_files(open_.get(), {"a"}, geteuid(), kept);
  ASSERT_TRUE(outputs.has_value()) << outputs.error().message;
  EXPECT_EQ(outputs->front().text.size(), 1000U);
  outputs = read_output_files(open_.get(), {"a"}, geteuid(), kept);
  ASSERT_TRUE(outputs.has_error());
  EXPECT_EQ(outputs.error().code, ErrorCode::too_large);
}

TEST_F(OutputFiles, LinksAreNeitherFollowedNorRead) {
  ASSERT_TRUE(write_file_atomically(folder_->path() / "secret", "secret").has_value());
  fs::create_symlink("../secret", root() / "link");
  EXPECT_NE(refusal({"link"}).find("'link' as a symbolic link"), std::string::npos);
  EXPECT_NE(refusal({"l*"}).find("'link' as a symbolic link"), std::string::npos);
  fs::remove(root() / "link");
  fs::create_directory(folder_->path() / "elsewhere");
  ASSERT_TRUE(write_file_atomically(folder_->path() / "elsewhere/file", "x").has_value());
  fs::create_directory_symlink("../elsewhere", root() / "away");
  EXPECT_NE(refusal({"away/file"}).find("link or a file in the place of a folder"),
            std::string::npos);
  EXPECT_NE(refusal({"away/*"}).find("link or a file in the place of a folder"), std::string::npos);
  // Not asked for, not followed.
  EXPECT_EQ(found({"*file"}), Names{});
}

TEST_F(OutputFiles, NothingButAFileIsOpened) {
  ASSERT_EQ(mkfifo((root() / "fifo").c_str(), 0600), 0);
  EXPECT_NE(refusal({"fifo"}).find("'fifo' as a FIFO"), std::string::npos);
  fs::create_directory(root() / "folder");
  EXPECT_NE(refusal({"folder"}).find("as a folder"), std::string::npos);
  const UniqueFd bound(socket(AF_UNIX, SOCK_STREAM, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = root() / "socket";
  ASSERT_LT(path.size(), sizeof address.sun_path);
  path.copy(address.sun_path, path.size());
  ASSERT_EQ(bind(bound.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  EXPECT_NE(refusal({"socket"}).find("as a socket"), std::string::npos);
  // Folders are no outputs, but searched.
  EXPECT_EQ(found({"folder*"}), Names{});
}

TEST_F(OutputFiles, AnotherUsersFileIsNotReadThroughAHardLink) {
  put("mine");
  const auto outputs = read({"mine"}, geteuid() + 1);
  ASSERT_TRUE(outputs.has_error());
  EXPECT_EQ(outputs.error().code, ErrorCode::invalid_argument);
  EXPECT_NE(outputs.error().message.find("another user's file"), std::string::npos);
}

TEST_F(OutputFiles, AClosedFileIsTheProgramsDoing) {
  if (geteuid() == 0) {
    GTEST_SKIP() << "root may read everything";
  }
  put("closed");
  chmod((root() / "closed").c_str(), 0);
  EXPECT_NE(refusal({"closed"}).find("cannot be read"), std::string::npos);
}

TEST_F(OutputFiles, HolesCountAsBytes) {
  put("sparse", "x");
  fs::resize_file(root() / "sparse", kMaxOutputFileBytes + 1);
  EXPECT_NE(refusal({"sparse"}, ErrorCode::too_large).find("256 MiB"), std::string::npos);
}

TEST_F(OutputFiles, NumberDepthAndEntriesHaveLimits) {
  for (std::size_t i = 0; i <= kMaxOutputFiles; ++i) {
    ASSERT_TRUE(UniqueFd(open((root() / std::to_string(i)).c_str(), O_WRONLY | O_CREAT, 0600)));
  }
  EXPECT_NE(refusal({"*"}, ErrorCode::too_large).find("257 files, 256"), std::string::npos);
  EXPECT_EQ(found({"7"}), Names{"7"});
  fs::path deep = root() / "deep";
  for (int i = 0; i < 40; ++i) {
    fs::create_directory(deep);
    deep /= "d";
  }
  EXPECT_NE(refusal({"deep/*"}, ErrorCode::too_large).find("too deep"), std::string::npos);
  fs::create_directory(root() / "many");
  for (int i = 0; i < 5000; ++i) {
    ASSERT_TRUE(
        UniqueFd(open((root() / "many" / std::to_string(i)).c_str(), O_WRONLY | O_CREAT, 0600)));
  }
  EXPECT_NE(refusal({"many/*.csv"}, ErrorCode::too_large).find("more than 4096"),
            std::string::npos);
}

TEST_F(OutputFiles, AreRemovedAndNothingElse) {
  put("sum.txt");
  put("parts/1.csv");
  put("parts/keep");
  ASSERT_TRUE(remove_output_files(open_.get(), {"sum.txt", "*.csv", "absent"}).has_value());
  EXPECT_EQ(found({"*"}), Names{"parts/keep"});
}

}  // namespace
}  // namespace hone
