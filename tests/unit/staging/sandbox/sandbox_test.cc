// What a program in the sandbox sees, and what not.
#include "tests/unit/staging/sandbox/in_sandbox.h"

namespace hone {
namespace {

TEST_F(InSandbox, AnotherProgramRunsUnderTheNameOfTheFirstArgument) {
  find();  // whatever there is: with namespaces or without
  Command command = shell("echo $0");
  command.arguments.front() = "/no/such/app";
  command.program = "/bin/sh";
  const Result<SandboxReport> report = sandbox_.run(command, view_);
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_EQ(report->run.stdout_text, "/no/such/app\n") << report->run.stderr_text;
}

TEST_F(InSandbox, AProgramSeesTheSystemAndWhatItIsGiven) {
  if (!find()) {
    GTEST_SKIP() << why_;
  }
  view_.readable = {root() / "given"};
  const std::string folder = root().string();
  EXPECT_EQ(output("cat " + folder + "/given/file; ls " + folder), "given\ngiven\n");
  EXPECT_EQ(output("for f in " + folder +
                   "/given/new /usr/new /etc/new /new /dev/new; do "
                   "touch $f 2>/dev/null && echo written $f; done; touch /tmp/new && echo tmp"),
            "tmp\n");
  EXPECT_FALSE(fs::exists(root() / "given/new"));
  EXPECT_FALSE(fs::exists("/tmp/new"));
  view_.writable = {root() / "given"};
  EXPECT_EQ(output("echo x > " + folder + "/given/new && echo written"), "written\n");
  EXPECT_TRUE(fs::exists(root() / "given/new"));
}

TEST_F(InSandbox, TheScratchFolderIsGoneAfterwardsAndHasALimit) {
  if (!find()) {
    GTEST_SKIP() << why_;
  }
  view_.scratch = root() / "scratch";
  view_.scratch_bytes = 1U << 20U;
  const std::string folder = view_.scratch.string();
  EXPECT_EQ(output("cd " + folder + " && echo x > a && ls"), "a\n");
  EXPECT_TRUE(fs::is_empty(view_.scratch));
  EXPECT_EQ(output("head -c 3000000 /dev/zero > " + folder + "/b 2>/dev/null || echo full"),
            "full\n");
}

TEST_F(InSandbox, AScratchFolderThatIsKeptOutlivesAllElse) {
  find();  // whatever there is: in memory, or a folder like any other
  view_.scratch = root() / "scratch";
  view_.scratch_bytes = 1U << 20U;
  view_.keep_scratch = true;
  const std::string folder = view_.scratch.string();
  Result<SandboxReport> report = run("cd " + folder + " && mkdir d && echo kept > d/file");
  ASSERT_TRUE(report.has_value()) << report.error().message;
  ASSERT_TRUE(report->run.ok()) << report->run.stderr_text;
  ASSERT_TRUE(report->scratch);
  const std::string through = "/proc/self/fd/" + std::to_string(report->scratch.get());
  EXPECT_EQ(read_file(through + "/d/file", 100).value(), "kept\n");
  fs::remove_all(root() / "scratch/d");  // where it lies on the disk
  // Not of a run that does not ask for it: nobody would free its memory.
  view_.keep_scratch = false;
  report = run("true");
  ASSERT_TRUE(report.has_value());
  EXPECT_FALSE(report->scratch);
  // A program that takes its folder's place away does not lead us elsewhere.
  view_.keep_scratch = true;
  report =
      run("cd " + folder + " && echo mine > x; cd /; rmdir " + folder + "/d 2>/dev/null; " + "mv " +
          folder + " " + folder + ".away 2>/dev/null; ln -s /etc " + folder + " 2>/dev/null; true");
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_EQ(read_file("/proc/self/fd/" + std::to_string(report->scratch.get()) + "/x", 100).value(),
            "mine\n");
}

TEST_F(InSandbox, HasNoNetworkButItsOwnLoopback) {
  if (!find()) {
    GTEST_SKIP() << why_;
  }
  const std::string names = "cd /proc/net && sed -n 's/^ *\\([a-z0-9]*\\):.*/\\1/p' dev";
  EXPECT_EQ(output(names), "lo\n");
  // A benchmark of a server and its client.
  const char* const talk =
      "use IO::Socket::INET; my $s = IO::Socket::INET->new(Listen => 1, LocalAddr => q(127.0.0.1)) "
      "or die; if (!fork) { my $c = IO::Socket::INET->new(PeerAddr => q(localhost), "
      "PeerPort => $s->sockport) or die; print $c qq(hello\\n); exit } print $s->accept->getline";
  EXPECT_EQ(output("perl -e '" + std::string(talk) + "'"), "hello\n");
  const char* const away =
      "use IO::Socket::INET; my $c = IO::Socket::INET->new(Proto => q(udp), "
      "PeerAddr => q(192.0.2.1), PeerPort => 53); print $c ? qq(out\\n) : qq(none: $!\\n)";
  EXPECT_EQ(output("perl -e '" + std::string(away) + "'"), "none: Network is unreachable\n");
}

TEST_F(InSandbox, IsTheSameUserWhoeverRunsIt) {
  if (!find()) {
    GTEST_SKIP() << why_;
  }
  EXPECT_EQ(output("id -u; id -g; id -un"), "65534\n65534\nnobody\n");
}

TEST_F(InSandbox, WhatIsHiddenIsNotSeenInAFolderThatIs) {
  put("given/token", "secret\n");
  fs::create_directories(root() / "given/work/own");
  fs::create_directories(root() / "given/work/other");
  put("given/work/own/file", "own\n");
  chmod((root() / "given/work").c_str(), 0777);
  settings_.hidden = {root() / "given/token", root() / "given/work", root() / "given/none"};
  if (!find()) {
    GTEST_SKIP() << why_;
  }
  view_.readable = {root() / "given", root() / "given/work/own"};
  const std::string folder = root().string() + "/given";
  EXPECT_EQ(output("cat " + folder + "/token 2>/dev/null || echo none"), "none\n");
  EXPECT_EQ(
      output("cd " + folder + "/work && ls && cat own/file; touch new 2>/dev/null || echo no"),
      "own\nown\nno\n");
  // Nothing is made of it where nothing of it would be seen.
  view_.readable = {root() / "scratch"};
  EXPECT_EQ(output("ls " + root().string()), "scratch\n");
}

TEST_F(InSandbox, ASecretThatIsReplacedIsHiddenToo) {
  put("given/first", "first\n");
  put("given/second", "second\n");
  fs::create_symlink("first", root() / "given/token");
  settings_.hidden = {root() / "given/token"};
  if (!find()) {
    GTEST_SKIP() << why_;
  }
  view_.readable = {root() / "given"};
  const std::string read = "cd " + root().string() + "/given; cat token first second 2>&-";
  EXPECT_EQ(output(read), "second\n");
  fs::remove(root() / "given/token");
  EXPECT_EQ(output(read), "first\nsecond\n");
  fs::create_symlink("second", root() / "given/token");
  EXPECT_EQ(output(read), "first\n");
}

TEST_F(InSandbox, WhatItsUserCannotReachNeedsNoHiding) {
  if (!settings_.run_as) {
    GTEST_SKIP() << "needs root";
  }
  fs::create_directory(root() / "given/closed");
  chmod((root() / "given/closed").c_str(), 0700);
  put("given/closed/token", "secret\n");
  put("given/token", "secret\n");
  settings_.hidden = {root() / "given/closed/token", root() / "given/token"};
  if (!find()) {
    GTEST_SKIP() << why_;
  }
  view_.readable = {root() / "given"};
  EXPECT_EQ(output("cd " + root().string() + "/given; cat token closed/token 2>&- || echo none"),
            "none\n");
}

TEST_F(InSandbox, AWorkFolderWithinTheSystemsIsSeenAsFarAsItIsGiven) {
  Result<TemporaryFolder> made = TemporaryFolder::create("sandbox-test", "/opt");
  if (!made) {
    GTEST_SKIP() << made.error().message;
  }
  chmod(made->path().c_str(), 0755);
  settings_.work = made->path();
  settings_.hidden = {made->path()};
  fs::create_directories(made->path() / "own");
  fs::create_directories(made->path() / "other");
  ASSERT_TRUE(write_file_atomically(made->path() / "own/file", "own\n").has_value());
  if (!find()) {
    GTEST_SKIP() << why_;
  }
  view_.readable = {made->path() / "own"};
  EXPECT_EQ(output("cd " + made->path().string() + " && ls && cat own/file"), "own\nown\n");
}

TEST_F(InSandbox, WhereAProgramWouldNotSeeWhatItIsGivenTheTrialTells) {
  if (!find()) {
    GTEST_SKIP() << why_;
  }
  // Runs everything in namespaces in which a part of what is to be shown is not.
  put("blind",
      "#!/bin/bash\nset -- \"${@//*sandbox-trial*/\\/no\\/such\\/place}\"\nexec bwrap \"$@\"\n");
  chmod((root() / "blind").c_str(), 0755);
  settings_.bubblewrap = root() / "blind";
  EXPECT_TRUE(find()) << why_;
  settings_.work = root() / "given";
  EXPECT_FALSE(find());
  EXPECT_NE(why_.find("No such file"), std::string::npos) << why_;
  EXPECT_TRUE(fs::is_directory(root() / "given"));
  for (const fs::directory_entry& entry : fs::directory_iterator(root() / "given")) {
    EXPECT_EQ(entry.path().filename(), "file") << "nothing of the trial stays";
  }
}

}  // namespace
}  // namespace hone
