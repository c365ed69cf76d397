// What builds and programs may not do beside their work, and what is kept of it: with real
// processes.

#include <sys/stat.h>

#include <algorithm>
#include <thread>

#include "common/base/sha256.h"
#include "staging/sandbox/init_report.h"
#include "staging/sandbox/sandbox_parts.h"
#include "tests/unit/worker/run/scripted_product.h"

namespace hone {
namespace {

using namespace std::chrono_literals;

using LockedIn = Outcomes;

TEST_F(LockedIn, EveryResultSaysWhatTheSandboxLacks) {
  SandboxParts parts;
  parts.warnings = {"no control groups here"};
  sandbox_ = Sandbox(parts);
  restart();
  const AttemptResult result = run_packed();
  EXPECT_EQ(result.outcome, Outcome::ok) << result.reason;
  EXPECT_NE(
      std::find(result.warnings.begin(), result.warnings.end(), "sandbox: no control groups here"),
      result.warnings.end());
}

TEST_F(LockedIn, AJobWhoseSandboxCannotBeMadeIsNotRunWithout) {
  write("baseline.make", "echo built without\n");
  SandboxParts parts;
  parts.bubblewrap = "/no/such/bwrap";
  parts.init = "/no/such/init";
  sandbox_ = Sandbox(parts);
  restart();
  pack();
  // The machine's trouble: neither the baseline nor the candidate is to blame.
  const Result<AttemptResult> result = runner_->run(lease(), Slot{0, std::nullopt}, {});
  ASSERT_TRUE(result.has_error());
  EXPECT_EQ(result.error().code, ErrorCode::unavailable);
  EXPECT_NE(result.error().message.find("the sandbox could not be made"), std::string::npos)
      << result.error().message;
  const auto workspace = *pool_->open(target_, BaselineKind::o3);
  EXPECT_FALSE(std::filesystem::exists(workspace->baseline_build() / "bench"));
}

TEST_F(LockedIn, ASandboxThatIsLostWhileItIsMeasuredVoidsTheRun) {
  SandboxParts parts;
  parts.bubblewrap = folder_->path() / "bwrap";
  parts.init = "/no/such/init";
  // In the place of bwrap and init: runs builds and reports that they ended well, and fails for the
  // benchmark.
  ASSERT_TRUE(write_file_atomically(parts.bubblewrap,
                                    "#!/bin/bash\nwhile [ \"$1\" != -- ]; do shift; done\n"
                                    "report=$3\nshift 5\n"
                                    "case $* in */bench) echo lost >&2; exit 1 ;; esac\n"
                                    "\"$@\" && head -c " +
                                        std::to_string(sizeof(InitReport)) +
                                        " /dev/zero >&\"$report\"\n",
                                    0755)
                  .has_value());
  sandbox_ = Sandbox(parts);
  restart();
  pack();
  const Result<AttemptResult> result = runner_->run(lease(), Slot{0, std::nullopt}, {});
  ASSERT_TRUE(result.has_error());
  EXPECT_EQ(result.error().code, ErrorCode::unavailable);
  EXPECT_NE(result.error().message.find("lost"), std::string::npos) << result.error().message;
}

TEST_F(LockedIn, ABuildInPlaceHasACopyOfTheSource) {
  target_.build.commands = {{"sh", "in-place.sh"}};
  write("in-place.sh",
        "set -e\n"
        "test \"$HONE_ROOT\" = \"$PWD\"\n"
        "if [ -n \"$HONE_POLICY\" ]; then cp candidate.sh bench; else cp baseline.sh bench; fi\n"
        "chmod 755 bench\necho changed > baseline.sh\n");
  const AttemptResult result = run_packed();
  EXPECT_EQ(result.outcome, Outcome::ok) << result.reason << result.log;
  EXPECT_EQ(run().outcome, Outcome::ok) << "the next candidate starts from the source as it was";
}

TEST_F(LockedIn, ABuildThatFillsTheDiskIsStoppedAndNothingOfItStays) {
  disk_.bytes = 16U << 20U;
  restart();
  write("candidate.make",
        "if [ -n \"$HONE_POLICY\" ]; then head -c 40000000 /dev/zero > \"$HOME/fat\"; fi\n");
  pack();
  AttemptResult result = run();
  EXPECT_EQ(result.outcome, Outcome::limit_exceeded);
  EXPECT_NE(result.reason.find("16 MiB of disk"), std::string::npos) << result.reason;
  const auto workspace = *pool_->open(target_, BaselineKind::o3);
  EXPECT_LT(disk_use({workspace->folder()}).bytes, 16U << 20U);
  result = run();
  EXPECT_EQ(result.outcome, Outcome::limit_exceeded) << "and not the worker's own trouble";
}

TEST_F(LockedIn, ADiskThatOthersFilledIsNotTheCandidatesFault) {
  disk_.reserve_bytes = std::uint64_t{1} << 60U;
  restart();
  pack();
  const Result<AttemptResult> result = runner_->run(lease(), Slot{0, std::nullopt}, {});
  ASSERT_TRUE(result.has_error());
  EXPECT_EQ(result.error().code, ErrorCode::unavailable);
  EXPECT_NE(result.error().message.find("disk"), std::string::npos) << result.error().message;
}

TEST_F(LockedIn, AStepThatTheMachineCannotStartIsNotTheCandidatesFault) {
  EXPECT_EQ(run_packed().outcome, Outcome::ok);
  // No file for what it says can be opened.
  const std::filesystem::path log =
      (*pool_->open(target_, BaselineKind::o3))->folder() / "step-0.log";
  ASSERT_TRUE(std::filesystem::remove(log));
  std::filesystem::create_directory(log);
  const Result<AttemptResult> result = runner_->run(lease(), Slot{0, std::nullopt}, {});
  ASSERT_TRUE(result.has_error()) << result->reason;
  EXPECT_EQ(result.error().code, ErrorCode::unavailable);
  EXPECT_NE(result.error().message.find("step-0.log"), std::string::npos) << result.error().message;
}

TEST_F(LockedIn, FoldersTooDeepToWalkAreRemoved) {
  write("candidate.make", "(i=0; while [ $i -lt 1500 ]; do mkdir d; cd d; i=$((i+1)); done)\n");
  pack();
  for (int turn = 0; turn < 2; ++turn) {
    const AttemptResult result = run();
    EXPECT_EQ(result.outcome, Outcome::limit_exceeded);
    EXPECT_NE(result.reason.find("nested folders"), std::string::npos) << result.reason;
  }
}

TEST_F(LockedIn, WhatABuildLinksToIsNotReadForIt) {
  for (const char* trick :
       {"ln -s /etc/passwd bench", "mkfifo bench", "ln -s ../source.json bench", "mkdir bench"}) {
    write("candidate.make", std::string("rm -rf bench; ") + trick + "; exit 0\n");
    const AttemptResult result = run_packed();
    EXPECT_EQ(result.outcome, Outcome::build_failed) << trick;
    EXPECT_NE(result.reason.find("made no file"), std::string::npos) << trick << result.reason;
  }
}

TEST_F(LockedIn, NoSlotReachesAnotherSlotsFiles) {
  if (geteuid() != 0) {
    GTEST_SKIP() << "needs root";
  }
  users_ = *find_job_users("", {0, 1});
  restart();
  write("candidate.make",
        "id -u >> \"$HOME/users\"\n"
        "if [ -e ../swapped ]; then return 0; fi\n"
        "for other in build tmp home state ccache bench; do\n"
        "  case $HOME in *s000) there=../$other-s001 ;; *) there=../$other-s000 ;; esac\n"
        "  if ls \"$there\" > /dev/null 2>&1; then echo sees $there; exit 1; fi\n"
        "done\n"
        "for shared in build-base objects source; do\n"
        "  if touch \"../$shared/x\" 2> /dev/null; then echo writes $shared; exit 1; fi\n"
        "done\n");
  pack();
  for (const int slot : {0, 1, 0, 1}) {
    const Result<AttemptResult> result = runner_->run(lease(), Slot{slot, std::nullopt}, {});
    ASSERT_TRUE(result.has_value()) << result.error().message;
    EXPECT_EQ(result->outcome, Outcome::ok) << result->reason << result->log;
  }
  const auto workspace = *pool_->open(target_, BaselineKind::o3);
  EXPECT_EQ(*read_file(workspace->folder() / "home-s000/users", 100), "60800\n60800\n");
  EXPECT_EQ(*read_file(workspace->folder() / "home-s001/users", 100), "60801\n60801\n");
  // The slots' processors change when the worker starts anew: what the slot held belongs to another
  // user then, and is made afresh.
  ASSERT_TRUE(write_file_atomically(workspace->folder() / "swapped", "").has_value());
  users_ = *find_job_users("", {1, 0});
  restart();
  const Result<AttemptResult> result = runner_->run(lease(), Slot{0, std::nullopt}, {});
  ASSERT_TRUE(result.has_value()) << result.error().message;
  EXPECT_EQ(result->outcome, Outcome::ok) << result->reason << result->log;
  EXPECT_EQ(
      *read_file((*pool_->open(target_, BaselineKind::o3))->folder() / "home-s000/users", 100),
      "60801\n");
}

}  // namespace
}  // namespace hone
