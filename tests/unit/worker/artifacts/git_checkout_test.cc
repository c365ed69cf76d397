#include "worker/artifacts/git_checkout.h"

#include <sys/stat.h>
#include <unistd.h>

#include <optional>

#include <gtest/gtest.h>

#include "common/base/file.h"
#include "common/base/subprocess.h"
#include "common/base/text.h"
#include "staging/sandbox/sandbox_support.h"
#include "worker/artifacts/folders.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

class GitCheckout : public testing::Test {
 protected:
  void SetUp() override {
    Result<TemporaryFolder> made = TemporaryFolder::create("git-test");
    ASSERT_TRUE(made.has_value());
    folder_.emplace(*std::move(made));
    chmod(folder_->path().c_str(), 0755);
    settings_.home = folder_->path() / "home";
    settings_.user = *find_job_user("");
    ASSERT_TRUE(make_folder(settings_.home, 0755, settings_.user.owner()).has_value());
    ASSERT_TRUE(make_folder(out(), 0755, settings_.user.owner()).has_value());
    fs::create_directory(repository());
    git("init -q .");
    first_ = commit("one");
    second_ = commit("two");
  }
  fs::path repository() const { return folder_->path() / "repository"; }
  fs::path out() const { return folder_->path() / "out"; }
  std::string git(const std::string& arguments) {
    Command command;
    command.arguments = {"sh", "-c", "git -c user.name=t -c user.email=t@example.org " + arguments};
    command.environment = {"PATH=/usr/bin:/bin", "HOME=" + folder_->path().string()};
    command.working_folder = repository();
    const Result<RunReport> report = run(command);
    EXPECT_TRUE(report && report->ok()) << arguments << (report ? report->stderr_text : "");
    return report ? std::string(trim(report->stdout_text)) : "";
  }
  std::string commit(const std::string& content) {
    EXPECT_TRUE(write_file_atomically(repository() / "file", content).has_value());
    git("add file");
    git("commit -q -m " + content);
    return git("rev-parse HEAD");
  }

  std::optional<TemporaryFolder> folder_;
  GitSettings settings_;
  std::string first_;
  std::string second_;
};

TEST_F(GitCheckout, ChecksOutTheVeryCommit) {
  const Result<void> done = git_checkout({repository().string(), first_}, out(), settings_, {});
  ASSERT_TRUE(done.has_value()) << done.error().message;
  EXPECT_EQ(*read_file(out() / "file", 100), "one");
  struct stat about{};
  ASSERT_EQ(stat((out() / "file").c_str(), &about), 0);
  EXPECT_EQ(about.st_uid, settings_.user.run_as ? settings_.user.run_as->user : geteuid());
}

TEST_F(GitCheckout, TakesFileUrls) {
  EXPECT_TRUE(
      git_checkout({"file://" + repository().string(), second_}, out(), settings_, {}).has_value());
}

TEST_F(GitCheckout, SeesNothingButTheRepository) {
  fs::copy(fs::path(HONE_BINARY_DIR) / "bin/hone-sandbox-init", folder_->path() / "init");
  SandboxSettings machine;
  machine.run_as = settings_.user.run_as;
  machine.init = folder_->path() / "init";
  settings_.sandbox = find_sandbox(machine);
  const std::string missing = join(settings_.sandbox.warnings(), "\n");
  if (missing.find("without namespaces") != std::string::npos) {
    GTEST_SKIP() << missing;
  }
  const Result<void> done =
      git_checkout({"file://" + repository().string(), first_}, out(), settings_, {});
  ASSERT_TRUE(done.has_value()) << done.error().message;
  EXPECT_EQ(*read_file(out() / "file", 100), "one");
  // A repository that borrows another one's objects, which lies elsewhere.
  fs::create_directory(folder_->path() / "borrower");
  git("clone -q --shared . ../borrower");
  ASSERT_TRUE(make_empty_folder(out(), 0755, settings_.user.owner()).has_value());
  EXPECT_TRUE(git_checkout({(folder_->path() / "borrower").string(), first_}, out(), settings_, {})
                  .has_error());
}

TEST_F(GitCheckout, ARepositoryThatFillsTheDiskIsStopped) {
  settings_.disk.bytes = 1U << 20U;
  ASSERT_TRUE(write_file_atomically(repository() / "fat", std::string(3'000'000, 'x')).has_value());
  git("add fat");
  const std::string fat = commit("fat");
  const Result<void> done = git_checkout({repository().string(), fat}, out(), settings_, {});
  ASSERT_TRUE(done.has_error());
  EXPECT_NE(done.error().message.find("1 MiB of disk"), std::string::npos) << done.error().message;
}

TEST_F(GitCheckout, SaysWhatIsMissing) {
  const Result<void> no_commit =
      git_checkout({repository().string(), std::string(40, 'a')}, out(), settings_, {});
  ASSERT_TRUE(no_commit.has_error());
  EXPECT_NE(no_commit.error().message.find("git"), std::string::npos);
  ASSERT_TRUE(make_empty_folder(out(), 0755, settings_.user.owner()).has_value());
  EXPECT_TRUE(git_checkout({"/no/such/repository", first_}, out(), settings_, {}).has_error());
}

TEST_F(GitCheckout, RefusesUrlsAndCommitsThatAreSomethingElse) {
  for (const std::string url :
       {"--upload-pack=touch /tmp/x", "ext::sh -c id", "git@example.org:x", "ssh://example.org/x",
        "http://example.org/x", "relative", "//host/share", "https://example.org/ x", ""}) {
    EXPECT_FALSE(is_allowed_git_url(url)) << url;
    EXPECT_EQ(git_checkout({url, first_}, out(), settings_, {}).error().code,
              ErrorCode::invalid_argument);
  }
  for (const std::string commit : {"HEAD", "--help", "", "0123"}) {
    EXPECT_EQ(git_checkout({repository().string(), commit}, out(), settings_, {}).error().code,
              ErrorCode::invalid_argument);
  }
  EXPECT_TRUE(is_allowed_git_url("https://example.org/x.git"));
}

TEST_F(GitCheckout, WhatGitCannotBeStartedForIsNoFaultOfTheRepository) {
  const Result<void> done = git_checkout({repository().string(), second_},
                                         folder_->path() / "no-such-folder", settings_, {});
  ASSERT_TRUE(done.has_error());
  EXPECT_EQ(done.error().code, ErrorCode::io_failed) << done.error().message;
}

}  // namespace
}  // namespace hone
