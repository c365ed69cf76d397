#include "build_integration/launcher/verdict.h"

#include <sys/wait.h>

#include <csignal>
#include <utility>

#include <gtest/gtest.h>

namespace hone {
namespace {

// What is made of an exit code and messages.
std::string_view verdict(int code, std::string_view text, std::string_view family = "clang") {
  TunedEnd end;
  end.started = true;
  end.wait_status = code << 8;
  return to_string(judge(end, text, family));
}

TEST(Judge, TellsOurFailuresFromTheUsersErrors) {
  EXPECT_EQ(verdict(0, ""), "none");
  EXPECT_EQ(verdict(0, "a.cc:1: warning: unused [-Wunused]\n"), "none");
  EXPECT_EQ(verdict(1, "a.cc:1: error: expected ';'\n"), "compile_error");
  EXPECT_EQ(verdict(70, ""), "crashed");
  EXPECT_EQ(verdict(254, ""), "crashed");
  EXPECT_EQ(verdict(139, ""), "crashed");
  EXPECT_EQ(verdict(1, "clang: error: clang frontend command failed due to signal\n"), "crashed");
  EXPECT_EQ(verdict(127, ""), "load_failed");
}

TEST(Judge, AFileLimitIsTheCallers) {
  TunedEnd end;
  end.started = true;
  end.wait_status = SIGXFSZ;
  EXPECT_EQ(judge(end, "PLEASE submit a bug report\n", "clang"), Reason::compile_error);
  end.wait_status = SIGSEGV;
  EXPECT_EQ(judge(end, "", "clang"), Reason::crashed);
}

TEST(Judge, KnowsThePluginsMarks) {
  EXPECT_EQ(verdict(70, "fatal error: error in backend: hone-pass: coroutines: f is one\n"),
            "coroutines");
  EXPECT_EQ(verdict(70, "warning: x\nfatal error: error in backend: hone-pass: pipeline: bad\n"),
            "rejected");
  EXPECT_EQ(verdict(70, "hone-pass: host: the compiler's LLVM is not LLVM_19.1\n"), "rejected");
  // A user's source that holds the words is no mark.
  EXPECT_EQ(verdict(1, "a.cc:1: error: \"hone-pass: coroutines: \"\n"), "compile_error");
}

TEST(Judge, AnUnknownOptionIsNoUserError) {
  EXPECT_EQ(verdict(1, "clang (LLVM option parsing): Unknown command line argument '-x'\n"),
            "rejected");
  // LLVM's help, printed for an option that it took for -h, ends with 0.
  EXPECT_EQ(verdict(0, "error: unable to load plugin 'x.so': 'too short'\n"), "load_failed");
  EXPECT_EQ(verdict(1, "error: unable to load plugin 'x.so': 'too short'\n"), "load_failed");
}

TEST(Judge, WarningsOfThePipelineAreNotTheUsers) {
  EXPECT_EQ(verdict(0, "a.cc:2: warning: loop not vectorized [-Wpass-failed=x]\n"), "diagnostics");
  EXPECT_EQ(verdict(0, "a.cc:2: warning: call to 'f' [-Wattribute-warning]\n"), "diagnostics");
}

TEST(Judge, KnowsGccsEnds) {
  EXPECT_EQ(verdict(0, "a.c:2: warning: 'x' may be used [-Wmaybe-uninitialized]\n", "gcc"),
            "diagnostics");
  EXPECT_EQ(verdict(0, "[{\"option\": \"-Wstringop-overflow=\"}]\n", "gcc"), "diagnostics");
  // clang's is its front end's, the same whatever the passes.
  EXPECT_EQ(verdict(0, "a.c:2: warning: 'x' is uninitialized [-Wuninitialized]\n"), "none");
  EXPECT_EQ(verdict(1, "during RTL pass: sched2\na.c:3: internal compiler error: in f\n", "gcc"),
            "crashed");
  EXPECT_EQ(verdict(1, "g++: error: unrecognized command-line option '-fx'\n", "gcc"),
            "compile_error");
  EXPECT_EQ(verdict(1, "a.c:1:1: error: expected ';'\n", "gcc"), "compile_error");
}

TEST(RunTuned, HoldsMessagesBackAndKeepsTheExitCode) {
  HeldOutputs held = *HeldOutputs::create();
  const TunedEnd end = run_tuned({{"sh", "-c", "printf 'a\\nb' >&2; exit 3"}, 60}, held);
  EXPECT_TRUE(end.started);
  EXPECT_EQ(WEXITSTATUS(end.wait_status), 3);
  EXPECT_EQ(held.messages(), "a\nb");
}

// A compiler is limited itself; of anything else the processes below it are counted.
TEST(RunTuned, EndsAtTheCpuLimit) {
  constexpr const char* kLoop = "while :; do :; done";
  constexpr const char* kLoopBelow = "(while :; do :; done) & wait";
  for (const auto& [script, is_compiler] :
       {std::pair(kLoop, true), std::pair(kLoop, false), std::pair(kLoopBelow, false)}) {
    HeldOutputs held = *HeldOutputs::create();
    const TunedEnd end = run_tuned({{"sh", "-c", script}, 1, is_compiler}, held);
    EXPECT_TRUE(WIFSIGNALED(end.wait_status)) << script;
    EXPECT_TRUE(end.over_limit) << script;
    EXPECT_EQ(judge(end, "", "clang"), Reason::timed_out) << script;
  }
}

TEST(RunTuned, OnlyACompilerGetsLimits) {
  for (const bool is_compiler : {true, false}) {
    HeldOutputs held = *HeldOutputs::create();
    run_tuned({{"sh", "-c", "ulimit -t >&2"}, 60, is_compiler}, held);
    EXPECT_EQ(held.messages() == "60\n", is_compiler) << held.messages();
  }
}

TEST(RunTuned, EndsAFloodOfOutput) {
  HeldOutputs held = *HeldOutputs::create();
  const TunedEnd end = run_tuned({{"sh", "-c", "exec cat /dev/zero"}, 60}, held);
  EXPECT_TRUE(end.too_much);
  EXPECT_FALSE(end.over_limit);
}

TEST(RunTuned, AMissingProgramIsNoCrash) {
  HeldOutputs held = *HeldOutputs::create();
  const TunedEnd end = run_tuned({{"/no/such/program"}, 60}, held);
  EXPECT_EQ(judge(end, held.messages(), "clang"), Reason::load_failed);
}

}  // namespace
}  // namespace hone
