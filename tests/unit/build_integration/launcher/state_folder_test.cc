#include "build_integration/launcher/state_folder.h"

#include <sys/resource.h>

#include <gtest/gtest.h>

#include "build_integration/launcher/failure_counts.h"
#include "common/base/file.h"

namespace hone {
namespace {

TEST(StateFolder, RemembersUntilReset) {
  const TemporaryFolder folder = *TemporaryFolder::create("state-folder-test");
  const StateFolder state((folder.path() / "a" / "b").string());
  EXPECT_EQ(state.read(StateKind::untunable, "k"), "");
  state.write(StateKind::untunable, "k", "coroutines");
  state.append_log("line\n");
  EXPECT_EQ(state.read(StateKind::untunable, "k"), "coroutines");
  EXPECT_EQ(state.read(StateKind::failures, "k"), "");
  EXPECT_EQ(state.reset(), 1U);
  EXPECT_EQ(state.read(StateKind::untunable, "k"), "");
  EXPECT_EQ(*read_file(folder.path() / "a/b/compiles.ndjson", 100), "line\n");
}

TEST(StateFolder, WithoutOneNothingIsKeptAndNothingFails) {
  for (const char* path : {"", "/proc/1/none", "/dev/null/x"}) {
    const StateFolder state{path};
    state.write(StateKind::compilers, "k", "x");
    state.append(StateKind::failures, "k", "x");
    state.append_log("x\n");
    EXPECT_EQ(state.read(StateKind::compilers, "k"), "") << path;
    EXPECT_EQ(state.reset(), 0U) << path;
  }
}

// Past `ulimit -f` the kernel sends SIGXFSZ, whose default is death.
TEST(StateFolder, AFileLimitIsAFullDisk) {
  const TemporaryFolder folder = *TemporaryFolder::create("state-folder-test");
  const StateFolder state(folder.path().string());
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  const rlimit small{10, old.rlim_max};
  state.append_log("0123456789");
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  state.append_log("x\n");
  state.append(StateKind::failures, "k", "0123456789x");
  state.append(StateKind::failures, "k", "x");
  state.write(StateKind::untunable, "k", "0123456789x");
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old), 0);
  EXPECT_EQ(*read_file(folder.path() / "compiles.ndjson", 100), "0123456789");
  EXPECT_EQ(state.read(StateKind::untunable, "k"), "");
}

TEST(FailureCounts, ThreeAreTooMany) {
  const TemporaryFolder folder = *TemporaryFolder::create("state-folder-test");
  const StateFolder state(folder.path().string());
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(has_failed_too_often(state, "h")) << i;
    count_failure(state, "h");
  }
  EXPECT_TRUE(has_failed_too_often(state, "h"));
  EXPECT_FALSE(has_failed_too_often(state, "other"));
}

}  // namespace
}  // namespace hone
