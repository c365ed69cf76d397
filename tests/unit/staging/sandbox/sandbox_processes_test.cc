// Processes in the sandbox: their own, their end, their environment.
#include "tests/unit/staging/sandbox/in_sandbox.h"

namespace hone {
namespace {

TEST_F(InSandbox, HasProcessesOfItsOwn) {
  if (!find()) {
    GTEST_SKIP() << why_;
  }
  EXPECT_EQ(output("kill -0 " + std::to_string(getpid()) + " 2>/dev/null || echo unseen"),
            "unseen\n");
  // Process 1 holds the pipe of the report: nobody else may write one.
  EXPECT_EQ(output("ls /proc/1/fd > /dev/null 2>&1 || echo closed"), "closed\n");
  EXPECT_EQ(output("grep -c . /proc/self/status > /dev/null; "
                   "sed -n 's/^\\(CapEff\\|Seccomp\\):[\\t ]*/\\1 /p' /proc/self/status"),
            "CapEff 0000000000000000\nSeccomp 2\n");
}

TEST_F(InSandbox, TheEndIsToldAsItWas) {
  if (!find()) {
    GTEST_SKIP() << why_;
  }
  Result<SandboxReport> report = run("exit 3");
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_EQ(report->run.end, RunEnd::exited);
  EXPECT_EQ(report->run.exit_code, 3);
  report = run("kill -SEGV $$");
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->run.end, RunEnd::signalled);
  EXPECT_EQ(report->run.signal, 11);
  Command missing = shell("");
  missing.arguments = {"/no/such/program"};
  EXPECT_EQ(sandbox_.run(missing, view_).error().code, ErrorCode::not_found);
  Command slow = shell("sleep 100");
  slow.limits.wall_time = std::chrono::milliseconds(500);
  report = sandbox_.run(slow, view_);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->run.end, RunEnd::timed_out);
}

TEST_F(InSandbox, TheEnvironmentAndTheDescriptorsAreTheCommands) {
  if (!find()) {
    GTEST_SKIP() << why_;
  }
  Command command = shell("");
  command.arguments = {"/usr/bin/env"};
  command.environment = {"A=1", "PATH=/usr/bin"};
  Result<SandboxReport> report = sandbox_.run(command, view_);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->run.stdout_text, "A=1\nPATH=/usr/bin\n");
  // Nothing of bwrap or init stays open in the program.
  const std::string open_files = output("ls /proc/self/fd | wc -l");
  sandbox_ = Sandbox();
  EXPECT_EQ(open_files, output("ls /proc/self/fd | wc -l"));
}

TEST_F(InSandbox, AnotherProgramUnderItsNameRunsInThereToo) {
  if (!find()) {
    GTEST_SKIP() << why_;
  }
  Command command = shell("");
  command.program = "/bin/sh";
  command.arguments = {
      "name", "-c", "echo $0; cat " + root().string() + "/hidden/file 2>/dev/null || echo unseen"};
  const Result<SandboxReport> report = sandbox_.run(command, view_);
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_EQ(report->run.stdout_text, "name\nunseen\n");
}

TEST_F(InSandbox, AFileThatIsNoProgramIsNoScriptEither) {
  if (!find()) {
    GTEST_SKIP() << why_;
  }
  put("given/text", "echo run\n");
  chmod((root() / "given/text").c_str(), 0755);
  view_.readable = {root() / "given"};
  Command command = shell("");
  command.arguments = {(root() / "given/text").string()};
  const Result<SandboxReport> report = sandbox_.run(command, view_);
  ASSERT_TRUE(report.has_error());
  EXPECT_NE(report.error().message.find("Exec format"), std::string::npos)
      << report.error().message;
}

TEST_F(InSandbox, NothingOutlivesTheProgram) {
  if (!find()) {
    GTEST_SKIP() << why_;
  }
  view_.writable = {root() / "given"};
  const std::string late = (root() / "given/late").string();
  EXPECT_EQ(output("setsid sh -c 'sleep 1; echo x > " + late + "' > /dev/null 2>&1 & echo done"),
            "done\n");
  sleep(2);
  EXPECT_FALSE(fs::exists(late));
}

}  // namespace
}  // namespace hone
