// Every outcome of a job, with real processes.

#include <sys/stat.h>

#include <algorithm>
#include <thread>

#include "common/base/sha256.h"
#include "tests/unit/worker/run/scripted_product.h"

namespace hone {
namespace {

using namespace std::chrono_literals;

TEST_F(Outcomes, TwoProgramsThatAgreeAreMeasured) {
  target_.benchmark.metric = {};
  baseline(busy(8000));
  candidate(busy(8000) + "# another program\n");
  const AttemptResult result = run_packed();
  EXPECT_EQ(result.outcome, Outcome::ok) << result.reason << result.log;
  ASSERT_TRUE(result.verdict.has_value());
  ASSERT_TRUE(result.reward.has_value());
  EXPECT_GE(result.samples.size(), 24U);
  EXPECT_EQ(result.binaries.size(), 1U);
  EXPECT_NE(result.binaries[0].sha256, result.baseline_binaries[0].sha256);
  EXPECT_GT(result.measure_seconds, 0);
  EXPECT_NE(result.machine.host, "");
  EXPECT_NE(result.log.find("make.sh"), std::string::npos);
}

TEST_F(Outcomes, AFasterProgramIsFaster) {
  target_.benchmark.metric = {};
  baseline(busy(8000));
  candidate(busy(800));
  const AttemptResult result = run_packed();
  EXPECT_EQ(result.outcome, Outcome::ok) << result.reason;
  EXPECT_EQ(result.verdict, Verdict::faster);
}

TEST_F(Outcomes, ADifferentOutputIsMiscompiled) {
  candidate("#!/bin/sh\necho wrong, time 1.5\n");
  const AttemptResult result = run_packed();
  EXPECT_EQ(result.outcome, Outcome::miscompiled);
  EXPECT_NE(result.reason.find("output"), std::string::npos) << result.reason;
}

TEST_F(Outcomes, ADifferenceThatOnlyAFileShowsIsMiscompiled) {
  const std::string sum = "#!/bin/sh\nmkdir parts\necho answer, time 1.5\n";
  baseline(sum + "echo 1; printf '1\\n2\\n' > parts/sum.txt\n");
  candidate(sum + "echo 1; printf '1\\n3\\n' > parts/sum.txt\n");
  EXPECT_EQ(run_packed().outcome, Outcome::ok) << "nobody asked for it";
  target_.benchmark.outputs = {"parts/*.txt"};
  const AttemptResult result = run_packed();
  EXPECT_EQ(result.outcome, Outcome::miscompiled);
  EXPECT_NE(result.reason.find("file 'parts/sum.txt' differs from the baseline's: line 2"),
            std::string::npos)
      << result.reason;
}

TEST_F(Outcomes, ADifferenceThatOnlyStandardErrorShowsIsMiscompiled) {
  candidate(kGood + "echo overflow >&2\n");
  EXPECT_EQ(run_packed().outcome, Outcome::ok) << "nobody asked for it";
  target_.benchmark.compare_stderr = true;
  const AttemptResult result = run_packed();
  EXPECT_EQ(result.outcome, Outcome::miscompiled);
  EXPECT_NE(result.reason.find("standard error"), std::string::npos) << result.reason;
}

TEST_F(Outcomes, ALastDigitPassesWithAToleranceOnly) {
  const std::string mean = "#!/bin/sh\necho time 1.5\necho mean 0.123456789";
  baseline(mean + "1\n");
  candidate(mean + "2\n");
  const AttemptResult exact = run_packed();
  EXPECT_EQ(exact.outcome, Outcome::miscompiled);
  EXPECT_NE(exact.reason.find("'mean 0.1234567892', not 'mean 0.1234567891'"), std::string::npos)
      << exact.reason;
  target_.benchmark.tolerance = Tolerance{1e-8, 0};
  const AttemptResult tolerant = run_packed();
  EXPECT_EQ(tolerant.outcome, Outcome::ok) << tolerant.reason;
}

TEST_F(Outcomes, ADifferenceThatOnlyACheckShowsIsMiscompiled) {
  write("input", "timed");
  write("other", "checked");
  const std::string program = "#!/bin/sh\necho answer, time 1.5\n";
  baseline(program + "cat $1\n");
  candidate(program + "sed s/checked/wrong/ $1\n");
  target_.benchmark.command = {"{build}/bench", "{input}"};
  target_.benchmark.inputs = {{.name = "timed", .file = "input", .expected_output_sha256 = ""}};
  EXPECT_EQ(run_packed().outcome, Outcome::ok) << "the timed input shows nothing";
  target_.benchmark.checks = {{.name = "other", .file = "other"}};
  AttemptResult result = run_packed();
  EXPECT_EQ(result.outcome, Outcome::miscompiled);
  EXPECT_NE(result.reason.find("in check 'other'"), std::string::npos) << result.reason;
  target_.benchmark.checks = {
      {.name = "right", .file = "other", .expected_output_sha256 = std::string(64, 'a')}};
  EXPECT_EQ(run_packed().outcome, Outcome::baseline_failed);
}

TEST_F(Outcomes, ATestProgramOfTheProductIsACheckWithoutAMetric) {
  write("baseline.make",
        "printf '#!/bin/sh\\necho 3 tests, no time\\n' > check; chmod 755 check\n");
  write("candidate.make", "printf '#!/bin/sh\\nexit 1\\n' > check; chmod 755 check\n");
  EXPECT_EQ(run_packed().outcome, Outcome::ok);
  target_.benchmark.checks = {{.name = "tests", .command = {"{build}/check", "--quick"}}};
  const AttemptResult result = run_packed();
  EXPECT_EQ(result.outcome, Outcome::miscompiled);
  EXPECT_NE(result.reason.find("in check 'tests': exit code 1"), std::string::npos)
      << result.reason;
  write("candidate.make",
        "printf '#!/bin/sh\\necho 3 tests, no time\\n' > check; chmod 755 check\n");
  const AttemptResult good = run_packed();
  EXPECT_EQ(good.outcome, Outcome::ok) << good.reason;
  EXPECT_TRUE(std::all_of(good.samples.begin(), good.samples.end(),
                          [](const Sample& sample) { return sample.value == 1.5; }));
}

TEST_F(Outcomes, AFileThatVariesIsNondeterministic) {
  baseline(kGood + "date +%N > log\n");
  candidate(kGood + "date +%N > log # another program\n");
  target_.benchmark.outputs = {"log"};
  const AttemptResult result = run_packed();
  EXPECT_EQ(result.outcome, Outcome::nondeterministic);
  EXPECT_NE(result.reason.find("file 'log'"), std::string::npos) << result.reason;
}

TEST_F(Outcomes, AFileThatIsNeverWrittenIsToldAtOnce) {
  target_.benchmark.outputs = {"sum.text"};
  const AttemptResult result = run_packed();
  EXPECT_EQ(result.outcome, Outcome::benchmark_failed);
  EXPECT_NE(result.reason.find("'sum.text'"), std::string::npos) << result.reason;
}

TEST_F(Outcomes, WhatAProgramPutsInTheFilesPlaceIsNotReadForIt) {
  target_.benchmark.outputs = {"out"};
  baseline(kGood + "echo 1 > out\n");
  for (const char* trick : {"ln -s /etc/passwd out", "mkfifo out", "mkdir out"}) {
    candidate(kGood + trick + "\n");
    const AttemptResult result = run_packed();
    EXPECT_EQ(result.outcome, Outcome::miscompiled) << trick;
    EXPECT_NE(result.reason.find("wrote 'out' as"), std::string::npos) << trick << result.reason;
  }
  candidate(kGood + "truncate -s 300M out\n");
  const AttemptResult result = run_packed();
  EXPECT_EQ(result.outcome, Outcome::limit_exceeded) << result.reason;
}

TEST_F(Outcomes, ACrashOfTheCandidateAloneIsMiscompiled) {
  candidate("#!/bin/sh\nkill -SEGV $$\n");
  const AttemptResult result = run_packed();
  EXPECT_EQ(result.outcome, Outcome::miscompiled);
  EXPECT_NE(result.reason.find("signal 11"), std::string::npos) << result.reason;
}

TEST_F(Outcomes, ACrashOfBothIsTheBenchmarksFault) {
  baseline("#!/bin/sh\necho no such input >&2\nexit 3\n");
  candidate("#!/bin/sh\nexit 3\n");
  const AttemptResult result = run_packed();
  EXPECT_EQ(result.outcome, Outcome::benchmark_failed);
  EXPECT_NE(result.reason.find("no such input"), std::string::npos) << result.reason;
}

TEST_F(Outcomes, BytesThatAreNoTextDoNotLoseTheReason) {
  baseline("#!/bin/sh\nprintf 'bad \\000\\377 input' >&2\nexit 3\n");
  const AttemptResult result = run_packed();  // which reads it as honed does
  EXPECT_EQ(result.outcome, Outcome::benchmark_failed);
  EXPECT_NE(result.reason.find("bad ?? input"), std::string::npos) << result.reason;
}

TEST_F(Outcomes, ABuildThatPrintsNoTextHasALogAllTheSame) {
  write("baseline.make", "printf 'bad \\000\\377 source\\n' >&2; exit 1\n");
  const AttemptResult result = run_packed();
  EXPECT_EQ(result.outcome, Outcome::baseline_failed);
  EXPECT_NE(result.log.find("bad ?? source"), std::string::npos) << result.log;
}

TEST_F(Outcomes, AHangingCandidateTimesOut) {
  target_.benchmark.timeout_seconds = 1;
  candidate("#!/bin/sh\nsleep 100\n");
  const AttemptResult result = run_packed();
  EXPECT_EQ(result.outcome, Outcome::timed_out);
  EXPECT_NE(result.reason.find("time limit"), std::string::npos) << result.reason;
}

TEST_F(Outcomes, ACandidateThatPrintsWithoutEndExceedsItsLimit) {
  target_.benchmark.memory_mib = 200;
  candidate("#!/bin/sh\nexec perl -e '$x = \"x\" x 300000000; print \"answer\"'\n");
  const AttemptResult result = run_packed();
  EXPECT_EQ(result.outcome, Outcome::limit_exceeded) << result.reason;
}

TEST_F(Outcomes, NoMetricIsTheBenchmarksFaultOrTheCandidates) {
  target_.benchmark.metric = {.metric = Metric::printed, .pattern = "score ([0-9.]+)"};
  baseline("#!/bin/sh\necho nothing\n");
  AttemptResult result = run_packed();
  EXPECT_EQ(result.outcome, Outcome::benchmark_failed);
  EXPECT_NE(result.reason.find("metric"), std::string::npos) << result.reason;
  baseline("#!/bin/sh\necho score 5\n");
  candidate("#!/bin/sh\necho nothing\n");
  result = run_packed();
  EXPECT_EQ(result.outcome, Outcome::miscompiled);
}

TEST_F(Outcomes, ThePrintedNumberIsTheMeasure) {
  target_.benchmark.metric = {
      .metric = Metric::printed, .pattern = "score ([0-9.]+)", .higher_is_better = true};
  baseline("#!/bin/sh\necho answer, score 100\n");
  candidate("#!/bin/sh\necho answer, score 110\n");
  const AttemptResult result = run_packed();
  EXPECT_EQ(result.outcome, Outcome::ok) << result.reason;
  EXPECT_EQ(result.verdict, Verdict::faster);
  EXPECT_NEAR(result.reward->value, 0.0953, 0.001);
}

TEST_F(Outcomes, ACandidateThatDoesNotBuildIsBuildFailed) {
  write("candidate.make", "echo 'make.sh: error: no rule' >&2\nexit 2\n");
  const AttemptResult result = run_packed();
  EXPECT_EQ(result.outcome, Outcome::build_failed);
  EXPECT_NE(result.reason.find("no rule"), std::string::npos) << result.reason;
  EXPECT_NE(result.log.find("no rule"), std::string::npos);
}

TEST_F(Outcomes, ALogOfCompilesWithoutEndIsTheBuildsOwnFault) {
  write("candidate.make", "truncate -s 300M \"$HONE_STATE_DIR/compiles.ndjson\"\n");
  const AttemptResult result = run_packed();
  EXPECT_EQ(result.outcome, Outcome::limit_exceeded) << result.reason;
  EXPECT_NE(result.reason.find("log of its compiles"), std::string::npos) << result.reason;
}

TEST_F(Outcomes, ACandidateBuildThatHangsTimesOut) {
  target_.build.timeout_seconds = 1;
  write("candidate.make", "sleep 100\n");
  EXPECT_EQ(run_packed().outcome, Outcome::timed_out);
}

TEST_F(Outcomes, ABinaryThatTheBuildDoesNotMakeIsNamed) {
  target_.build.binaries = {"bench", "lib/missing.so"};
  const AttemptResult result = run_packed();
  EXPECT_EQ(result.outcome, Outcome::baseline_failed);
  EXPECT_NE(result.reason.find("lib/missing.so"), std::string::npos) << result.reason;
}

TEST_F(Outcomes, ABaselineThatDoesNotBuildIsBaselineFailed) {
  write("baseline.make", "exit 1\n");
  EXPECT_EQ(run_packed().outcome, Outcome::baseline_failed);
}

TEST_F(Outcomes, ABaselineThatDisagreesWithItselfIsNondeterministic) {
  baseline("#!/bin/sh\necho $$, time 1.5\n");
  EXPECT_EQ(run_packed().outcome, Outcome::nondeterministic);
}

TEST_F(Outcomes, AnUnexpectedBaselineOutputIsBaselineFailed) {
  write("input", "x");
  target_.benchmark.command = {"{build}/bench", "{input}"};
  target_.benchmark.inputs = {
      {.name = "x", .file = "input", .expected_output_sha256 = std::string(64, 'a')}};
  const AttemptResult result = run_packed();
  EXPECT_EQ(result.outcome, Outcome::baseline_failed);
  EXPECT_NE(result.reason.find("expected"), std::string::npos) << result.reason;
}

TEST_F(Outcomes, IdenticalBinariesAreNoChangeWithoutAMeasurement) {
  candidate(kGood);
  const AttemptResult result = run_packed();
  EXPECT_EQ(result.outcome, Outcome::ok) << result.reason;
  EXPECT_EQ(result.verdict, Verdict::no_change);
  EXPECT_FALSE(result.reward.has_value());
  EXPECT_TRUE(result.samples.empty());
  EXPECT_NE(result.reason.find("identical"), std::string::npos);
}

TEST_F(Outcomes, AnEqualBinaryIsReusedInARaceOnceItsResultCounted) {
  pack();
  const Lease first = lease();
  const AttemptResult measured = run(first);
  ASSERT_EQ(measured.outcome, Outcome::ok) << measured.reason;
  EXPECT_EQ(run().reused_attempt, "") << "honed has not counted it yet";
  runner_->accepted(first, measured);
  restart();
  const AttemptResult reused = run();
  EXPECT_EQ(reused.outcome, Outcome::ok);
  EXPECT_EQ(reused.reused_attempt, first.attempt);
  EXPECT_EQ(reused.reward, measured.reward);
  EXPECT_EQ(reused.verdict, measured.verdict);
  EXPECT_TRUE(reused.samples.empty());
  Lease confirm = lease();
  confirm.stage = Stage::confirm;
  const AttemptResult fresh = run(confirm);
  EXPECT_EQ(fresh.reused_attempt, "") << "a confirmation has pairs of its own";
  EXPECT_FALSE(fresh.samples.empty());
}

TEST_F(Outcomes, AnEqualBinaryIsMeasuredAgainWhereItsResultIsNotKnownAnyMore) {
  pack();
  const Lease first = lease();
  const AttemptResult measured = run(first);
  ASSERT_EQ(measured.outcome, Outcome::ok) << measured.reason;
  runner_->accepted(first, measured);
  const AttemptResult reused = run();
  ASSERT_EQ(reused.reused_attempt, first.attempt);
  // As of a database that was restored from a backup.
  EXPECT_TRUE(runner_->reuse_refused(lease(), reused));
  const AttemptResult again = run();
  EXPECT_EQ(again.outcome, Outcome::ok) << again.reason;
  EXPECT_EQ(again.reused_attempt, "");
  EXPECT_FALSE(again.samples.empty());
  EXPECT_FALSE(runner_->reuse_refused(lease(), reused)) << "there was nothing left to forget";
}

TEST_F(Outcomes, AnArchiveThatLeadsOutsideIsFetchFailed) {
  Command tar;
  tar.arguments = {"tar", "-cPf", "evil.tar",
                   "../" + folder_->path().filename().string() + "/evil"};
  tar.environment = {"PATH=/usr/bin:/bin"};
  tar.working_folder = folder_->path();
  ASSERT_TRUE(write_file_atomically(folder_->path() / "evil", "evil").has_value());
  ASSERT_TRUE(hone::run(tar)->ok());
  const std::string archive = *read_file(folder_->path() / "evil.tar", 1U << 20U);
  target_.source.artifact = sha256_hex(archive);
  server_.artifacts[target_.source.artifact] = archive;
  const AttemptResult result = run();
  EXPECT_EQ(result.outcome, Outcome::fetch_failed);
  EXPECT_NE(result.reason.find("/evil"), std::string::npos) << result.reason;
  EXPECT_NE(result.reason.find(".."), std::string::npos) << result.reason;
}

TEST_F(Outcomes, AnArtifactThatIsNotThereIsFetchFailed) {
  target_.source.artifact = std::string(64, 'b');
  const AttemptResult result = run();
  EXPECT_EQ(result.outcome, Outcome::fetch_failed);
  EXPECT_NE(result.reason.find("no artifact"), std::string::npos) << result.reason;
}

TEST_F(Outcomes, AFetchStepThatFailsIsFetchFailed) {
  target_.fetch = {{"sh", "-c", "echo no network >&2; exit 1"}};
  const AttemptResult result = run_packed();
  EXPECT_EQ(result.outcome, Outcome::fetch_failed);
  EXPECT_NE(result.reason.find("no network"), std::string::npos) << result.reason;
}

TEST_F(Outcomes, FetchStepsRunInTheSourceAndBuildsCannotChangeIt) {
  target_.fetch = {{"sh", "-c", "echo generated > generated.txt"}};
  write("candidate.make", "test -s \"$1/generated.txt\"\n");
  const AttemptResult result = run_packed();
  EXPECT_EQ(result.outcome, Outcome::ok) << result.reason;
  if (user_.run_as) {
    write("candidate.make", "touch \"$1/generated.txt\"\n");
    EXPECT_EQ(run_packed().outcome, Outcome::build_failed);
  }
}

TEST_F(Outcomes, CancelledInTheMiddleStopsSoon) {
  write("candidate.make", "sleep 100\n");
  pack();
  std::stop_source source;
  std::jthread asker([&] {
    std::this_thread::sleep_for(1s);
    source.request_stop();
  });
  const auto started = std::chrono::steady_clock::now();
  const AttemptResult result = run(lease(), source.get_token());
  EXPECT_EQ(result.outcome, Outcome::cancelled);
  EXPECT_LT(std::chrono::steady_clock::now() - started, 10s);
}

TEST_F(Outcomes, TheBaselineIsBuiltOnceAndAnewIfItChanged) {
  pack();
  EXPECT_GT(run().baseline_build_seconds, 0);
  restart();
  EXPECT_EQ(run().baseline_build_seconds, 0);
  const auto workspace = *pool_->open(target_, BaselineKind::o3);
  ASSERT_TRUE(write_file_atomically(workspace->baseline_build() / "bench", "changed").has_value());
  EXPECT_GT(run().baseline_build_seconds, 0);
  std::filesystem::remove(workspace->folder() / "baseline.json");
  EXPECT_GT(run().baseline_build_seconds, 0) << "half built";
  EXPECT_EQ(server_.downloads, 1);
}

TEST_F(Outcomes, WhatAKilledWorkerLeftInTheSlotIsRemoved) {
  write("candidate.make", "test ! -e left-behind\n");
  pack();
  const auto workspace = *pool_->open(target_, BaselineKind::o3);
  ASSERT_EQ(run().outcome, Outcome::ok);
  ASSERT_TRUE(workspace->open_slot(0).has_value());  // and never closed
  ASSERT_TRUE(
      write_file_atomically(workspace->candidate_build(0) / "left-behind", "x").has_value());
  restart();
  const AttemptResult result = run();
  EXPECT_EQ(result.outcome, Outcome::ok) << result.reason;
}

}  // namespace
}  // namespace hone
