#include "worker/build/workspace_pool.h"

#include <sys/stat.h>

#include <future>
#include <thread>

#include <gtest/gtest.h>

#include "common/base/file.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

class NoArtifacts final : public ArtifactSource {
  Result<void> download(const std::string&, const fs::path&, std::uint64_t,
                        const std::stop_token&) override {
    return fail(ErrorCode::not_found, "none");
  }
};

class Pool : public testing::Test {
 protected:
  void SetUp() override {
    Result<TemporaryFolder> made = TemporaryFolder::create("pool-test");
    ASSERT_TRUE(made.has_value());
    folder_.emplace(*std::move(made));
    target_.name = "lz4";
  }
  std::optional<TemporaryFolder> folder_;
  NoArtifacts source_;
  ArtifactCache artifacts_{"/nonexistent", 1, source_};
  Toolchain toolchain_;
  JobUsers users_{JobUser{}};
  WorkspaceContext context_{toolchain_, users_, artifacts_, 1};
  TargetSpec target_;
};

TEST_F(Pool, OneVersionHasOneWorkspace) {
  WorkspacePool pool(folder_->path(), 2, context_);
  const auto first = *pool.open(target_, BaselineKind::o3);
  EXPECT_EQ(first, *pool.open(target_, BaselineKind::o3));
  EXPECT_NE(first->folder(), (*pool.open(target_, BaselineKind::oz))->folder());
  TargetSpec changed = target_;
  changed.benchmark.command = {"other"};
  EXPECT_NE(first->folder(), (*pool.open(changed, BaselineKind::o3))->folder());
}

TEST_F(Pool, WhoMayDefineTheTargetAndWhoMayNotShareNothing) {
  WorkspacePool pool(folder_->path(), 2, context_);
  const auto owners = *pool.open(target_, BaselineKind::o3, TrustLevel::owner);
  const auto guests = *pool.open(target_, BaselineKind::o3, TrustLevel::guest);
  EXPECT_NE(owners->folder(), guests->folder());
  // As long, since paths may show in what is built.
  EXPECT_EQ(owners->folder().string().size(), guests->folder().string().size());
  EXPECT_EQ(owners, *pool.open(target_, BaselineKind::o3, TrustLevel::owner));
}

TEST_F(Pool, RemovesTheLongestUnusedButNoneInUse) {
  WorkspacePool pool(folder_->path(), 1, context_);
  std::vector<fs::path> folders;
  const auto held = *pool.open(target_, BaselineKind::own);
  for (const char* name : {"a", "b", "c"}) {
    TargetSpec target = target_;
    target.benchmark.command = {name};
    folders.push_back((*pool.open(target, BaselineKind::o3))->folder());
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ASSERT_TRUE(pool.open(target_, BaselineKind::own).has_value());
  pool.clean_up({});
  EXPECT_TRUE(fs::exists(held->folder()));
  EXPECT_FALSE(fs::exists(folders[0]));
  EXPECT_FALSE(fs::exists(folders[1]));
  EXPECT_TRUE(fs::exists(folders[2]));
}

TEST_F(Pool, ACleanUpThatTakesLongIsWaitedForByNobody) {
  std::promise<void> begun;
  std::promise<void> end;
  WorkspacePool pool(folder_->path(), 0, context_,
                     [&](const fs::path& folder, const std::stop_token& stop) {
                       begun.set_value();
                       end.get_future().wait();
                       return remove_tree(folder, stop);
                     });
  const fs::path removed = (*pool.open(target_, BaselineKind::o3))->folder();
  std::jthread cleans([&] { pool.clean_up({}); });
  begun.get_future().wait();
  // None of these returned if it waited: the clean-up ends after them.
  pool.clean_up({});
  const auto again = *pool.open(target_, BaselineKind::o3);
  EXPECT_EQ(again->folder(), removed);
  EXPECT_TRUE(fs::is_empty(removed)) << "what is being removed is found under its name";
  end.set_value();
  cleans.join();
  EXPECT_TRUE(fs::exists(again->folder()));
}

TEST_F(Pool, WhatAStopLeavesOfAWorkspaceGoesTheNextTime) {
  WorkspacePool pool(folder_->path(), 0, context_);
  const fs::path folder = (*pool.open(target_, BaselineKind::o3))->folder();
  ASSERT_TRUE(write_file_atomically(folder / "source.json", "{}").has_value());
  std::stop_source stopped;
  stopped.request_stop();
  pool.clean_up(stopped.get_token());
  EXPECT_FALSE(fs::exists(folder)) << "it may be half gone";
  EXPECT_FALSE(fs::is_empty(folder.parent_path()));
  pool.clean_up({});
  EXPECT_TRUE(fs::is_empty(folder.parent_path()));
}

TEST_F(Pool, RefusesNamesThatLeadElsewhere) {
  WorkspacePool pool(folder_->path(), 1, context_);
  target_.name = "../x";
  EXPECT_EQ(pool.open(target_, BaselineKind::o3).error().code, ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace hone
