// The sandbox as this machine gives it. What the machine refuses is skipped, with the reason.
#include "staging/sandbox/sandbox.h"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <optional>

#include <gtest/gtest.h>

#include "common/base/file.h"
#include "common/base/text.h"
#include "staging/sandbox/sandbox_parts.h"
#include "staging/sandbox/sandbox_support.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

class InSandbox : public testing::Test {
 protected:
  void SetUp() override {
    Result<TemporaryFolder> made = TemporaryFolder::create("sandbox-test");
    ASSERT_TRUE(made.has_value());
    folder_.emplace(*std::move(made));
    chmod(root().c_str(), 0755);
    // Programs run as another user, who has to get at init.
    fs::copy(fs::path(HONE_BINARY_DIR) / "bin/hone-sandbox-init", root() / "init");
    settings_.init = root() / "init";
    if (geteuid() == 0) {
      settings_.run_as = RunAs{65534, 65534};
    }
    for (const char* name : {"given", "hidden", "scratch"}) {
      fs::create_directory(root() / name);
      chmod((root() / name).c_str(), 0777);
    }
    put("given/file", "given\n");
    put("hidden/file", "hidden\n");
  }
  fs::path root() const { return folder_->path(); }
  void put(const std::string& name, const std::string& text) const {
    ASSERT_TRUE(write_file_atomically(root() / name, text).has_value());
  }
  // Whether namespaces can be had; says why not otherwise.
  bool find() {
    sandbox_ = find_sandbox(settings_);
    why_ = join(sandbox_.warnings(), "\n");
    return why_.find("without namespaces") == std::string::npos;
  }
  Command shell(const std::string& script) const {
    Command command;
    command.arguments = {"sh", "-c", script};
    command.environment = {"PATH=/usr/bin:/bin"};
    command.working_folder = "/";
    command.run_as = settings_.run_as;
    command.limits.wall_time = std::chrono::seconds(60);
    return command;
  }
  Result<SandboxReport> run(const std::string& script) const {
    return sandbox_.run(shell(script), view_);
  }
  std::string output(const std::string& script) const {
    const Result<SandboxReport> report = run(script);
    EXPECT_TRUE(report.has_value()) << report.error().message;
    return report ? report->run.stdout_text : "";
  }

  std::optional<TemporaryFolder> folder_;
  SandboxSettings settings_;
  Sandbox sandbox_;
  SandboxView view_;
  std::string why_;
};

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
