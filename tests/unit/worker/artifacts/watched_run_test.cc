#include "worker/artifacts/watched_run.h"

#include <gtest/gtest.h>

#include "tests/unit/staging/sandbox/in_sandbox.h"

namespace hone {
namespace {

class WatchedRun : public InSandbox {
 protected:
  void SetUp() override {
    InSandbox::SetUp();
    view_.writable = {root() / "given"};
    limits_.bytes = 1U << 20U;
    limits_.reserve_bytes = 0;
  }
  // A program that deletes the 4 MiB that it writes and keeps them open.
  Result<SandboxReport> run_holder(const Sandbox& sandbox) const {
    Command command =
        shell("exec 3>held; rm held; head -c 4194304 /dev/zero >&3; sleep 60; echo late");
    command.working_folder = root() / "given";
    return run_watched(command, sandbox, view_, limits_, {});
  }
  DiskLimits limits_;
};

TEST_F(WatchedRun, DeletedFilesCountInTheSandboxToo) {
  find();
  const Result<SandboxReport> report = run_holder(sandbox_);
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_NE(report->limit_met.find("1 MiB of disk"), std::string::npos)
      << report->limit_met << report->run.stderr_text << why_;
  EXPECT_FALSE(report->run.ok());
}

TEST_F(WatchedRun, DeletedFilesCountWithoutASandbox) {
  const Result<SandboxReport> report = run_holder(Sandbox());
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_NE(report->limit_met.find("1 MiB of disk"), std::string::npos) << report->run.stderr_text;
  EXPECT_FALSE(report->run.ok());
}

TEST_F(WatchedRun, AFullDiskBeforeTheStartIsNobodysDoing) {
  limits_.reserve_bytes = std::uint64_t{1} << 60U;
  const Result<SandboxReport> report = run_holder(Sandbox());
  ASSERT_TRUE(report.has_error());
  EXPECT_EQ(report.error().code, ErrorCode::unavailable);
}

}  // namespace
}  // namespace hone
