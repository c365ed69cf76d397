#include "common/base/subprocess.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <fstream>
#include <functional>
#include <thread>

#include <gtest/gtest.h>

#include "common/base/file.h"

namespace hone {
namespace {

using namespace std::chrono_literals;

Command shell(const std::string& script) {
  Command command;
  command.arguments = {"sh", "-c", script};
  command.environment = {"PATH=/usr/local/bin:/usr/bin:/bin"};
  return command;
}

// Whether the process has ended (a zombie has).
bool has_ended(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string line;
  std::getline(file, line);
  const std::size_t bracket = line.rfind(") ");
  return bracket == std::string::npos || line[bracket + 2] == 'Z' || line[bracket + 2] == 'X';
}

bool eventually(const std::function<bool()>& condition, std::chrono::seconds patience = 10s) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (std::chrono::steady_clock::now() < end) {
    if (condition()) {
      return true;
    }
    std::this_thread::sleep_for(5ms);
  }
  return condition();
}

pid_t read_pid(const std::filesystem::path& file) {
  std::ifstream in(file);
  pid_t process = 0;
  in >> process;
  return in && in.get() == '\n' ? process : 0;
}

TEST(Subprocess, CapturesBothStreamsAndTheExitCode) {
  const Result<RunReport> report = run(shell("echo out; echo err >&2; exit 3"));
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_EQ(report->stdout_text, "out\n");
  EXPECT_EQ(report->stderr_text, "err\n");
  EXPECT_EQ(report->end, RunEnd::exited);
  EXPECT_EQ(report->exit_code, 3);
  EXPECT_EQ(report->describe_end(), "exit code 3");
  EXPECT_FALSE(report->ok());
}

TEST(Subprocess, InheritsNothingOfTheEnvironment) {
  setenv("HONE_TEST_SECRET", "do not pass on", 1);
  Command command;
  command.arguments = {"/usr/bin/env"};
  command.environment = {"ONLY=this"};
  const Result<RunReport> report = run(command);
  unsetenv("HONE_TEST_SECRET");
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->stdout_text, "ONLY=this\n");
}

TEST(Subprocess, KeepsArgumentsAsTheyAre) {
  Command command;
  command.arguments = {"printf", "%s|", "a b", "$HOME", "", "*;'\""};
  command.environment = {"PATH=/usr/bin:/bin"};
  const Result<RunReport> report = run(command);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->stdout_text, "a b|$HOME||*;'\"|");
}

TEST(Subprocess, RunsAnotherProgramUnderTheNameOfTheFirstArgument) {
  Command command = shell("echo $0");
  command.arguments.front() = "/no/such/app";
  command.program = "/bin/sh";
  const Result<RunReport> report = run(command);
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_EQ(report->stdout_text, "/no/such/app\n");
}

TEST(Subprocess, NamesTheSignalThatEndedIt) {
  const Result<RunReport> report = run(shell("kill -SEGV $$"));
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->end, RunEnd::signalled);
  EXPECT_EQ(report->signal, SIGSEGV);
  EXPECT_NE(report->describe_end().find("signal 11"), std::string::npos);
}

TEST(Subprocess, SaysWhyAProgramCannotBeStarted) {
  Command command;
  command.arguments = {"no-such-program-anywhere"};
  EXPECT_EQ(run(command).error().code, ErrorCode::not_found);
  command.arguments = {"/no/such/program"};
  EXPECT_EQ(run(command).error().code, ErrorCode::not_found);
  command.arguments = {"/etc/passwd"};
  EXPECT_EQ(run(command).error().code, ErrorCode::permission_denied);
  command.arguments = {};
  EXPECT_EQ(run(command).error().code, ErrorCode::invalid_argument);
  command = shell("true");
  command.working_folder = "/no/such/folder";
  EXPECT_EQ(run(command).error().code, ErrorCode::not_found);
}

TEST(Subprocess, WhatTheMachineCannotDoIsNotTheProgramsDoing) {
  Command command = shell("true");
  command.stdout_file = "/no/such/folder/out";
  EXPECT_EQ(run(command).error().code, ErrorCode::unavailable);
  command = shell("true");
  command.cpu = CPU_SETSIZE - 1;
  EXPECT_EQ(run(command).error().code, ErrorCode::unavailable);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const Result<RunReport> report = run(shell("true"));
  setrlimit(RLIMIT_NOFILE, &before);
  ASSERT_TRUE(report.has_error());
  EXPECT_EQ(report.error().code, ErrorCode::unavailable) << report.error().message;
}

// With 1, the guardian cannot be made, with 2, the program cannot; both are processes of a user
// whom nobody else is, as far as we may be one.
TEST(Subprocess, TooManyProcessesAreTheMachinesTrouble) {
  for (const rlim_t processes : {rlim_t{1}, rlim_t{2}}) {
    const pid_t child = fork();
    if (child == 0) {
      const rlimit limit{processes, processes};
      if ((geteuid() == 0 && setuid(64'321) != 0) || setrlimit(RLIMIT_NPROC, &limit) != 0) {
        _exit(2);
      }
      const Result<RunReport> report = run(shell("true"));
      _exit(report.has_error() && report.error().code == ErrorCode::unavailable ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << processes;
  }
}

TEST(Subprocess, AFileThatIsNoProgramIsTheCallersDoing) {
  Result<TemporaryFolder> folder = TemporaryFolder::create("subprocess-test");
  ASSERT_TRUE(folder.has_value());
  const std::filesystem::path text = folder->path() / "text";
  ASSERT_TRUE(write_file_atomically(text, "true\n", 0755).has_value());
  Command command;
  command.arguments = {text.string()};
  EXPECT_EQ(run(command).error().code, ErrorCode::io_failed);
  for (const int ours : {EAGAIN, EMFILE, ENOMEM, ENOSPC, ETXTBSY}) {
    EXPECT_EQ(start_error("program", ours).code, ErrorCode::unavailable) << ours;
  }
}

TEST(Subprocess, GainsNoRightsWhereItIsToldNotTo) {
  Command command = shell("grep NoNewPrivs /proc/self/status");
  EXPECT_EQ(run(command)->stdout_text, "NoNewPrivs:\t0\n");
  command.no_new_privileges = true;
  EXPECT_EQ(run(command)->stdout_text, "NoNewPrivs:\t1\n");
}

TEST(Subprocess, KeepsNoMoreThanTheCaptureLimit) {
  Command command = shell("head -c 300000 /dev/zero; head -c 10 /dev/zero >&2");
  command.capture_limit = 1000;
  const Result<RunReport> report = run(command);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->stdout_text.size(), 1000U);
  EXPECT_EQ(report->stdout_dropped, 299000U);
  EXPECT_EQ(report->stderr_text.size(), 10U);
  EXPECT_EQ(report->stderr_dropped, 0U);
}

TEST(Subprocess, WritesStreamsToFiles) {
  Result<TemporaryFolder> folder = TemporaryFolder::create("subprocess-test");
  ASSERT_TRUE(folder.has_value());
  Command command = shell("echo one; echo two >&2");
  command.stdout_file = folder->path() / "both";
  command.stderr_file = folder->path() / "both";
  const Result<RunReport> report = run(command);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->stdout_text, "");
  EXPECT_EQ(*read_file(folder->path() / "both", 100), "one\ntwo\n");
}

TEST(Subprocess, TimeLimitEndsTheWholeTree) {
  Result<TemporaryFolder> folder = TemporaryFolder::create("subprocess-test");
  ASSERT_TRUE(folder.has_value());
  Command command = shell("sleep 100 & echo $! > grandchild; sleep 100");
  command.working_folder = folder->path();
  command.limits.wall_time = 300ms;
  const auto started = std::chrono::steady_clock::now();
  const Result<RunReport> report = run(command);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->end, RunEnd::timed_out);
  EXPECT_LT(std::chrono::steady_clock::now() - started, 10s);
  const pid_t grandchild = read_pid(folder->path() / "grandchild");
  ASSERT_GT(grandchild, 0);
  EXPECT_TRUE(has_ended(grandchild));
}

TEST(Subprocess, NoDescendantOutlivesTheCallEvenInASessionOfItsOwn) {
  Result<TemporaryFolder> folder = TemporaryFolder::create("subprocess-test");
  ASSERT_TRUE(folder.has_value());
  Command command = shell(
      "(setsid sh -c 'echo $$ > escapee; exec sleep 100' </dev/null >/dev/null 2>&1 &) ; "
      "while ! test -s escapee; do sleep 0.01; done; exit 0");
  command.working_folder = folder->path();
  command.limits.wall_time = 20s;
  const auto started = std::chrono::steady_clock::now();
  const Result<RunReport> report = run(command);
  ASSERT_TRUE(report.has_value());
  EXPECT_TRUE(report->ok()) << report->describe_end();
  EXPECT_LT(std::chrono::steady_clock::now() - started, 10s);
  const pid_t escapee = read_pid(folder->path() / "escapee");
  ASSERT_GT(escapee, 0);
  EXPECT_TRUE(has_ended(escapee));
}

TEST(Subprocess, CpuLimitEndsABusyLoop) {
  Command command = shell("while :; do :; done");
  command.limits.cpu_seconds = 1;
  command.limits.wall_time = 60s;
  const Result<RunReport> report = run(command);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->end, RunEnd::signalled);
  EXPECT_EQ(report->signal, SIGXCPU);
  // The limit counts in ticks, the sum is exact: they may differ by a good tenth.
  EXPECT_GE(report->cpu_seconds, 0.5);
}

TEST(Subprocess, FileSizeLimitEndsAWriter) {
  Result<TemporaryFolder> folder = TemporaryFolder::create("subprocess-test");
  ASSERT_TRUE(folder.has_value());
  Command command;
  command.arguments = {"dd", "if=/dev/zero", "of=big", "bs=65536", "count=100"};
  command.environment = {"PATH=/usr/bin:/bin"};
  command.working_folder = folder->path();
  command.limits.file_size_bytes = 100000;
  const Result<RunReport> report = run(command);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->end, RunEnd::signalled);
  EXPECT_EQ(report->signal, SIGXFSZ);
}

TEST(Subprocess, StopTokenEndsTheRun) {
  std::stop_source source;
  std::jthread asker([&] {
    std::this_thread::sleep_for(200ms);
    source.request_stop();
  });
  const auto started = std::chrono::steady_clock::now();
  const Result<RunReport> report = run(shell("sleep 100"), source.get_token());
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->end, RunEnd::stopped);
  EXPECT_LT(std::chrono::steady_clock::now() - started, 10s);
}

// The request comes before the guardian could install anything: it must be neither lost nor fatal.
TEST(Subprocess, StopRequestedBeforeTheStartStillReportsAStop) {
  std::stop_source source;
  source.request_stop();
  for (int i = 0; i < 20; ++i) {
    const Result<RunReport> report = run(shell("sleep 100"), source.get_token());
    ASSERT_TRUE(report.has_value()) << report.error().message;
    EXPECT_EQ(report->end, RunEnd::stopped);
  }
}

TEST(Subprocess, OwnerKilledBySigkillLeavesNothingBehind) {
  Result<TemporaryFolder> folder = TemporaryFolder::create("subprocess-test");
  ASSERT_TRUE(folder.has_value());
  const pid_t owner = fork();
  if (owner == 0) {
    Command command = shell(
        "echo $$ > program; (setsid sh -c 'echo $$ > escapee; exec sleep 100' &) ; sleep 100");
    command.working_folder = folder->path();
    [[maybe_unused]] const Result<RunReport> report = run(command);
    _exit(0);
  }
  ASSERT_GT(owner, 0);
  pid_t program = 0;
  pid_t escapee = 0;
  ASSERT_TRUE(eventually([&] {
    program = read_pid(folder->path() / "program");
    escapee = read_pid(folder->path() / "escapee");
    return program > 0 && escapee > 0;
  }));
  EXPECT_FALSE(has_ended(program));
  kill(owner, SIGKILL);
  waitpid(owner, nullptr, 0);
  EXPECT_TRUE(eventually([&] { return has_ended(program) && has_ended(escapee); }));
}

TEST(Subprocess, AGuardianThatWasKilledIsAnErrorAndTakesTheProgramWithIt) {
  Result<TemporaryFolder> folder = TemporaryFolder::create("subprocess-test");
  ASSERT_TRUE(folder.has_value());
  Command command = shell("echo $$ > program; exec sleep 100");
  command.working_folder = folder->path();
  std::jthread killer([&] {
    pid_t program = 0;
    eventually([&] { return (program = read_pid(folder->path() / "program")) > 0; });
    std::ifstream stat("/proc/" + std::to_string(program) + "/stat");
    std::string line;
    std::getline(stat, line);
    const pid_t guardian = std::stoi(line.substr(line.rfind(") ") + 4));
    kill(guardian, SIGKILL);
  });
  const Result<RunReport> report = run(command);
  ASSERT_TRUE(report.has_error());
  EXPECT_EQ(report.error().code, ErrorCode::unavailable);
  const pid_t program = read_pid(folder->path() / "program");
  EXPECT_TRUE(eventually([&] { return has_ended(program); }));
}

TEST(Subprocess, CountsTheCpuTimeOfGrandchildren) {
  // The work is done two processes below the program, some of it in one that nobody waits for.
  const std::string burn = "i=0; while [ $i -lt 150000 ]; do i=$((i+1)); done";
  const Result<RunReport> alone = run(shell(burn));
  ASSERT_TRUE(alone.has_value());
  const Result<RunReport> below =
      run(shell("sh -c '(" + burn + "); true'; (" + burn + ") & exec sleep 0.01"));
  ASSERT_TRUE(below.has_value());
  Command nested = shell("sh -c 'sh -c \"$BURN\"; true'; true");
  nested.environment.push_back("BURN=" + burn);
  const Result<RunReport> waited = run(nested);
  ASSERT_TRUE(waited.has_value());
  EXPECT_GT(alone->cpu_seconds, 0.01);
  EXPECT_GT(waited->cpu_seconds, 0.5 * alone->cpu_seconds);
  EXPECT_GT(below->cpu_seconds, 0.5 * alone->cpu_seconds);
}

TEST(Subprocess, ReportsPeakMemory) {
  const Result<RunReport> report =
      run(shell("head -c 60000000 /dev/zero | tail -c 60000000 | wc -c"));
  ASSERT_TRUE(report.has_value());
  EXPECT_GT(report->peak_rss_bytes, 50'000'000);
  EXPECT_LT(report->peak_rss_bytes, 500'000'000);
}

TEST(Subprocess, RunsOnTheProcessorAsked) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  int last = 0;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &allowed)) {
      last = cpu;
    }
  }
  Command command;
  command.arguments = {"sh", "-c", "taskset -pc $$"};
  command.environment = {"PATH=/usr/bin:/bin"};
  command.cpu = last;
  const Result<RunReport> report = run(command);
  ASSERT_TRUE(report.has_value());
  EXPECT_TRUE(report->stdout_text.ends_with("affinity list: " + std::to_string(last) + "\n"))
      << report->stdout_text;
}

TEST(Subprocess, RunsAsAnotherUserWithoutAWayBack) {
  if (geteuid() != 0) {
    GTEST_SKIP() << "needs root";
  }
  Command command = shell("id -u; id -G; grep NoNewPrivs /proc/self/status");
  command.run_as = RunAs{65534, 65534};
  const Result<RunReport> report = run(command);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->stdout_text, "65534\n65534\nNoNewPrivs:\t1\n");
}

TEST(Subprocess, JoinsGroupsBeforeItGivesUpOurRights) {
  Result<TemporaryFolder> folder = TemporaryFolder::create("subprocess-test");  // mode 0700
  ASSERT_TRUE(folder.has_value());
  const std::filesystem::path members = folder->path() / "cgroup.procs";
  Command command = shell("exit 3");
  if (geteuid() == 0) {
    command.run_as = RunAs{65534, 65534};
  }
  command.join_groups = {members};
  EXPECT_EQ(run(command).error().code, ErrorCode::unavailable) << "no such group";
  ASSERT_TRUE(write_file_atomically(members, "").has_value());
  EXPECT_EQ(run(command)->exit_code, 3);
  EXPECT_EQ(*read_file(members, 10), "0");
}

TEST(Subprocess, PassesOnlyTheDescriptorsAsked) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  Command command = shell("echo hello >&" + std::to_string(ends[1]));
  EXPECT_NE(run(command)->exit_code, 0);
  command.inherit_descriptors = {ends[1]};
  EXPECT_EQ(run(command)->exit_code, 0);
  char text[6] = {};
  EXPECT_EQ(read(ends[0], text, 6), 6);
  // What somebody opened without a thought of us.
  ASSERT_EQ(fcntl(ends[0], F_SETFD, 0), 0);
  command = shell("ls /proc/self/fd/" + std::to_string(ends[0]));
  EXPECT_NE(run(command)->exit_code, 0);
  close(ends[0]);
  close(ends[1]);
}

TEST(Subprocess, IgnoredSignalsOfTheOwnerAreNotInherited) {
  const auto before = signal(SIGINT, SIG_IGN);
  const Result<RunReport> report = run(shell("kill -INT $$; echo survived"));
  signal(SIGINT, before);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->end, RunEnd::signalled);
  EXPECT_EQ(report->signal, SIGINT);
}

TEST(Subprocess, ManyThreadsAtOnceDoNotDisturbEachOther) {
  std::vector<std::jthread> threads;
  std::vector<int> good(8, 0);
  for (std::size_t t = 0; t < good.size(); ++t) {
    threads.emplace_back([&good, t] {
      for (int i = 0; i < 10; ++i) {
        const Result<RunReport> report = run(shell("echo " + std::to_string(t)));
        if (report && report->ok() && report->stdout_text == std::to_string(t) + "\n") {
          ++good[t];
        }
      }
    });
  }
  threads.clear();
  EXPECT_EQ(good, std::vector<int>(8, 10));
}

}  // namespace
}  // namespace hone
