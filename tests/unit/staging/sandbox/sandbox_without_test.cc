// Where the machine refuses the sandbox, or nobody wants it.
#include "tests/unit/staging/sandbox/in_sandbox.h"

namespace hone {
namespace {

TEST_F(InSandbox, WithoutNamespacesAProgramGainsNoRightsEither) {
  const std::string told = "grep NoNewPrivs /proc/self/status";
  Command command = shell(told);
  command.run_as.reset();
  SandboxParts parts;
  for (const Sandbox& sandbox : {Sandbox(), Sandbox(parts)}) {
    const Result<SandboxReport> report = sandbox.run(command, view_);
    ASSERT_TRUE(report.has_value()) << report.error().message;
    EXPECT_EQ(report->run.stdout_text, "NoNewPrivs:\t1\n");
  }
  if (find()) {
    EXPECT_EQ(output(told), "NoNewPrivs:\t1\n");
  }
}

TEST_F(InSandbox, WhereTheKernelRefusesItSaysSoAndRunsWithout) {
  put("refuses", "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n");
  chmod((root() / "refuses").c_str(), 0755);
  settings_.bubblewrap = root() / "refuses";
  EXPECT_FALSE(find());
  EXPECT_NE(why_.find("No permissions to create new namespace"), std::string::npos) << why_;
  EXPECT_NE(why_.find("user.max_user_namespaces"), std::string::npos) << why_;
  EXPECT_EQ(output("cat " + (root() / "hidden/file").string()), "hidden\n");
}

TEST_F(InSandbox, WhatWorkedOnceIsNeverDoneWithout) {
  fs::create_symlink("/usr/bin/bwrap", root() / "bwrap");
  settings_.bubblewrap = root() / "bwrap";
  if (!find()) {
    GTEST_SKIP() << why_;
  }
  EXPECT_EQ(output("echo in"), "in\n");
  put("refuses", "#!/bin/sh\necho 'bwrap: out of namespaces' >&2\nexit 1\n");
  chmod((root() / "refuses").c_str(), 0755);
  fs::rename(root() / "refuses", root() / "bwrap");
  const Result<SandboxReport> report = run("echo in");
  ASSERT_TRUE(report.has_error());
  EXPECT_EQ(report.error().code, ErrorCode::unavailable);
  EXPECT_NE(report.error().message.find("bwrap: out of namespaces"), std::string::npos)
      << report.error().message;
}

TEST_F(InSandbox, NoneAtAllIsAnOrdinaryRun) {
  sandbox_ = Sandbox();
  EXPECT_TRUE(sandbox_.warnings().empty());
  EXPECT_EQ(output("cat " + (root() / "hidden/file").string()), "hidden\n");
}

}  // namespace
}  // namespace hone
