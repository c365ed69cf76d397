// Limits in the sandbox, and what is the machine's trouble and not the program's.
#include "tests/unit/staging/sandbox/in_sandbox.h"

namespace hone {
namespace {

TEST_F(InSandbox, AllItsProcessesTogetherAreLimited) {
  find();
  if (why_.find("limits hold for each process") != std::string::npos) {
    GTEST_SKIP() << why_;
  }
  Command command = shell("for i in 1 2 3 4 5 6 7 8; do sleep 5 & done; wait");
  command.limits.processes = 5;
  Result<SandboxReport> report = sandbox_.run(command, view_);
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_FALSE(report->run.ok());
  EXPECT_NE(report->limit_met.find("processes"), std::string::npos) << report->limit_met;
  view_.memory_bytes = 40U << 20U;
  report =
      run("for i in 1 2 3; do perl -e '$x = \"x\" x 30000000; sleep 1; print length $x' & done; "
          "wait; exit 1");
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_NE(report->limit_met.find("memory"), std::string::npos) << report->limit_met;
  // Also if it is the sandbox itself that the kernel then kills.
  view_.memory_bytes = 64U << 10U;
  report = run("true");
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_FALSE(report->run.ok());
  EXPECT_NE(report->limit_met.find("memory"), std::string::npos) << report->limit_met;
}

TEST_F(InSandbox, EachSlotHasItsShareOfTheMemory) {
  const auto all = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                   static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  settings_.slots = static_cast<std::size_t>(all / (std::uint64_t{64} << 20U));
  find();
  if (why_.find("limits hold for each process") != std::string::npos) {
    GTEST_SKIP() << why_;
  }
  view_.memory_bytes = all;
  const Result<SandboxReport> report = run("perl -e '$x = \"x\" x 150000000; print length $x'");
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_NE(report->limit_met.find("memory"), std::string::npos) << report->run.stdout_text;
}

// A group above ours stands in for the machine: to the kernel, both are an end that is not our own.
TEST_F(InSandbox, AKillForWantOfOthersMemoryIsTheMachinesTrouble) {
  const Result<std::string> groups = read_file("/proc/self/cgroup", 65536);
  ASSERT_TRUE(groups.has_value()) << groups.error().message;
  std::string outer;
  std::string ours;
  for (const std::string_view line : split(*groups, '\n')) {
    const std::size_t at = line.find(":memory:");
    if (at != std::string_view::npos) {
      ours = line;
      outer = line.substr(at + 8);
    }
  }
  const fs::path above =
      "/sys/fs/cgroup/memory" + outer + "/sandbox-test-" + std::to_string(getpid());
  std::error_code error;
  if (ours.empty() || !fs::create_directory(above, error)) {
    GTEST_SKIP() << "no version 1 control group for memory can be made";
  }
  put("groups", ours + "/" + above.filename().string() + "\n");
  {
    std::ofstream limit(above / "memory.limit_in_bytes");
    limit << (40U << 20U) << std::flush;
    ASSERT_TRUE(limit.good());
    SandboxParts parts;
    parts.groups = ControlGroupTree::find({.groups = root() / "groups"});
    ASSERT_EQ(parts.groups->missing(), (std::vector<std::string>{"pids", "cpuset"}));
    sandbox_ = Sandbox(parts);
    view_.memory_bytes = std::uint64_t{1} << 30U;
    // The shell outlives the kill.
    const std::string greedy = "perl -e '$x = \"x\" x 150000000; print length $x'";
    for (const std::string& script : {greedy, greedy + "; echo went on"}) {
      const Result<SandboxReport> report = run(script);
      ASSERT_TRUE(report.has_error()) << report->run.describe_end() << report->limit_met;
      EXPECT_EQ(report.error().code, ErrorCode::unavailable);
      EXPECT_NE(report.error().message.find("memory"), std::string::npos) << report.error().message;
    }
    EXPECT_EQ(output("echo fits"), "fits\n");
  }
  EXPECT_TRUE(fs::remove(above, error)) << error.message();
}

TEST_F(InSandbox, ASandboxThatIsKilledFromOutsideIsTheMachinesTrouble) {
  put("dies", "#!/bin/sh\nkill -KILL $$\n");
  chmod((root() / "dies").c_str(), 0755);
  SandboxParts parts;
  parts.bubblewrap = root() / "dies";
  parts.init = settings_.init;
  const Result<SandboxReport> report = Sandbox(parts).run(shell("true"), view_);
  ASSERT_TRUE(report.has_error()) << report->run.describe_end();
  EXPECT_EQ(report.error().code, ErrorCode::unavailable);
}

// However few: of bwrap, init and the program, one cannot be made.
TEST_F(InSandbox, TooFewProcessesAreTheMachinesTrouble) {
  if (!find()) {
    GTEST_SKIP() << why_;
  }
  if (!settings_.run_as) {
    GTEST_SKIP() << "needs root";
  }
  settings_.run_as = RunAs{64'322, 64'322};  // nobody else is
  SandboxParts parts;
  parts.bubblewrap = "/usr/bin/bwrap";
  parts.init = settings_.init;
  parts.system = {"--ro-bind", "/", "/", "--tmpfs", "/run"};
  bool in_there = false;
  for (std::uint64_t processes = 1; processes < 6; ++processes) {
    Command command = shell("true");
    command.arguments = {"true"};
    command.limits.processes = processes;
    const Result<SandboxReport> report = Sandbox(parts).run(command, view_);
    if (report) {
      EXPECT_TRUE(report->run.ok()) << report->run.describe_end();
      continue;
    }
    EXPECT_EQ(report.error().code, ErrorCode::unavailable) << report.error().message;
    in_there |= report.error().message.starts_with("cannot start 'true'");
  }
  EXPECT_TRUE(in_there);
}

}  // namespace
}  // namespace hone
