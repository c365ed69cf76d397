#include "staging/runner/benchmark_runner.h"

#include <sys/stat.h>
#include <unistd.h>

#include <map>
#include <thread>

#include <gtest/gtest.h>

#include "common/base/file.h"
#include "common/base/sha256.h"
#include "staging/sandbox/sandbox_support.h"

namespace hone {
namespace {

using namespace std::chrono_literals;

class Runner : public testing::Test {
 protected:
  void SetUp() override {
    Result<TemporaryFolder> made = TemporaryFolder::create("runner-test");
    ASSERT_TRUE(made.has_value());
    folder_.emplace(*std::move(made));
    chmod(folder_->path().c_str(), 0755);
    settings_.folder = folder_->path();
    settings_.time_limit = 20s;
  }
  BenchmarkRun run(const std::string& script, const MetricSpec& metric = {},
                   std::size_t padding = 0, const std::stop_token& stop = {}) {
    Result<BenchmarkRunner> runner = BenchmarkRunner::create(settings_, metric);
    EXPECT_TRUE(runner.has_value());
    return runner->run({"sh", "-c", script}, padding, stop);
  }

  std::optional<TemporaryFolder> folder_;
  RunnerSettings settings_;
};

TEST_F(Runner, ReportsTimesMemoryAndTheOutputsHash) {
  const BenchmarkRun result = run("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; echo done");
  EXPECT_EQ(result.run_class, RunClass::ok) << result.reason;
  EXPECT_EQ(result.output_sha256, sha256_hex("done\n"));
  EXPECT_GT(result.cpu_seconds, 0.001);
  EXPECT_GE(result.wall_seconds, 0.8 * result.cpu_seconds);
  EXPECT_GT(result.peak_rss_bytes, 100'000);
  EXPECT_FALSE(result.printed.has_value());
}

TEST_F(Runner, StartsInAnEmptyFolderEachTime) {
  const std::string script = "ls -A; echo x > left-behind; mkdir d; chmod 500 d";
  EXPECT_EQ(run(script).output_sha256, sha256_hex(""));
  EXPECT_EQ(run(script).output_sha256, sha256_hex(""));
}

TEST_F(Runner, FixesTheEnvironmentAndPadsIt) {
  setenv("HONE_TOKEN", "secret", 1);
  const std::string names = "env | sed 's/=.*//' | sort | tr '\\n' ' '";
  EXPECT_EQ(run(names).output_sha256, sha256_hex("HOME HONE_PADDING LANG PATH PWD TMPDIR TZ "));
  unsetenv("HONE_TOKEN");
  EXPECT_EQ(run("echo ${#HONE_PADDING}", {}, 77).output_sha256, sha256_hex("77\n"));
}

TEST_F(Runner, RunsAsTheJobsUser) {
  if (geteuid() != 0) {
    GTEST_SKIP() << "needs root";
  }
  settings_.run_as = RunAs{65534, 65534};
  EXPECT_EQ(run("id -u; echo x > file; touch ../stdout 2>/dev/null || echo refused").output_sha256,
            sha256_hex("65534\nrefused\n"));
}

TEST_F(Runner, TellsTheEndsApart) {
  BenchmarkRun result = run("echo why >&2; exit 4");
  EXPECT_EQ(result.run_class, RunClass::failed);
  EXPECT_EQ(result.reason, "exit code 4, saying: why");
  result = run("kill -SEGV $$");
  EXPECT_EQ(result.run_class, RunClass::failed);
  EXPECT_NE(result.reason.find("signal 11"), std::string::npos);
  settings_.time_limit = 1s;
  result = run("sleep 100");
  EXPECT_EQ(result.run_class, RunClass::timed_out);
  EXPECT_NE(result.reason.find("time limit"), std::string::npos);
}

TEST_F(Runner, NoticesLimits) {
  settings_.output_bytes = 100'000;
  BenchmarkRun result = run("exec head -c 1000000 /dev/zero");
  EXPECT_EQ(result.run_class, RunClass::limit_exceeded) << result.reason;
  EXPECT_NE(result.reason.find("output limit"), std::string::npos);
  settings_.output_bytes = 10'000'000;
  settings_.memory_bytes = std::uint64_t{100} << 20U;
  result = run("exec perl -e '$x = \"x\" x 300000000; print length($x)'");
  EXPECT_EQ(result.run_class, RunClass::limit_exceeded) << result.reason;
  EXPECT_NE(result.reason.find("memory"), std::string::npos);
}

TEST_F(Runner, AddressSpaceNeedNotBeLimited) {
  settings_.memory_bytes = std::uint64_t{100} << 20U;
  const std::string limit = "ulimit -v; echo told >&2";
  EXPECT_EQ(run(limit).outputs.at(0).sha256, run("echo 102400").outputs.at(0).sha256);
  settings_.limit_address_space = false;
  const BenchmarkRun result = run(limit);
  EXPECT_EQ(result.outputs.at(0).sha256, run("echo unlimited").outputs.at(0).sha256);
  EXPECT_EQ(result.stderr_text, "told\n");
  EXPECT_EQ(run("echo why >&2; exit 3").stderr_text, "why\n") << "of a run that failed, too";
}

TEST_F(Runner, ReadsThePrintedMetric) {
  const MetricSpec metric{.metric = Metric::printed, .pattern = "t ([0-9.]+)"};
  const BenchmarkRun result = run("echo result; echo t 1.5", metric);
  EXPECT_EQ(result.run_class, RunClass::ok) << result.reason;
  EXPECT_DOUBLE_EQ(result.printed.value_or(0), 1.5);
  // Two runs that differ in nothing but the number agree.
  EXPECT_EQ(result.output_sha256, run("echo result; echo t 2.5", metric).output_sha256);
  EXPECT_NE(result.output_sha256, run("echo other; echo t 1.5", metric).output_sha256);
  EXPECT_EQ(run("echo result", metric).run_class, RunClass::no_metric);
}

// The outputs of a run by what they are and hold.
std::map<std::string, std::string> texts_of(const BenchmarkRun& run) {
  std::map<std::string, std::string> texts;
  for (const WrittenOutput& output : run.outputs) {
    texts[describe(output)] = output.text;
  }
  return texts;
}

TEST_F(Runner, GivesStandardErrorAndFilesWhereTheyAreCompared) {
  const std::string script = "echo out; echo err >&2; mkdir d; echo file > d/x.txt; echo y > y";
  EXPECT_EQ(texts_of(run(script)),
            (std::map<std::string, std::string>{{"standard output", "out\n"}}));
  settings_.compared.standard_error = true;
  settings_.compared.files = {"d/*.txt", "absent"};
  const BenchmarkRun result = run(script);
  EXPECT_EQ(result.run_class, RunClass::ok) << result.reason;
  EXPECT_EQ(texts_of(result), (std::map<std::string, std::string>{{"standard output", "out\n"},
                                                                  {"standard error", "err\n"},
                                                                  {"file 'd/x.txt'", "file\n"}}));
  EXPECT_EQ(result.outputs[0].sha256, result.output_sha256);
  EXPECT_EQ(result.outputs[2].sha256, sha256_hex("file\n"));
}

TEST_F(Runner, AFailureStillTellsWhatWasSaid) {
  settings_.compared.standard_error = true;
  EXPECT_EQ(run("echo why >&2; exit 4").reason, "exit code 4, saying: why");
}

TEST_F(Runner, WhatThePrintedMetricLeavesIsCompared) {
  const MetricSpec metric{.metric = Metric::printed, .pattern = "t ([0-9.]+)"};
  const BenchmarkRun result = run("echo result; echo t 1.5", metric);
  ASSERT_EQ(result.outputs.size(), 1U);
  EXPECT_EQ(result.outputs[0].sha256, result.output_sha256);
  EXPECT_EQ(result.outputs[0].text.find("1.5"), std::string::npos);
  EXPECT_NE(result.outputs[0].text.find("result"), std::string::npos);
}

TEST_F(Runner, HostileFilesAreTheProgramsFaultOrPastALimit) {
  settings_.compared.files = {"out", "o*"};
  const std::pair<const char*, const char*> cases[] = {
      {"mkfifo out", "as a FIFO"},
      {"ln -s /etc/passwd out", "as a symbolic link"},
      {"ln -s /proc/self/fd/1 out", "as a symbolic link"},
      {"mkdir out", "as a folder"}};
  for (const auto& [script, reason] : cases) {
    const BenchmarkRun result = run(script);
    EXPECT_EQ(result.run_class, RunClass::failed) << script;
    EXPECT_NE(result.reason.find(reason), std::string::npos) << script << ": " << result.reason;
  }
  for (const char* script : {"truncate -s 300M out", "for i in $(seq 300); do : > o$i; done"}) {
    EXPECT_EQ(run(script).run_class, RunClass::limit_exceeded) << script;
  }
  EXPECT_EQ(run("echo fine > out").run_class, RunClass::ok);
}

TEST_F(Runner, AHardLinkToAnotherUsersFileIsNotRead) {
  if (geteuid() != 0) {
    GTEST_SKIP() << "needs root";
  }
  // Where the machine lets everybody link to it: as root, in the runner's own folder.
  settings_.run_as = RunAs{65534, 65534};
  settings_.compared.files = {"out"};
  settings_.working_folder = folder_->path() / "shared";
  std::filesystem::create_directory(settings_.working_folder);
  ASSERT_TRUE(write_file_atomically(folder_->path() / "secret", "secret", 0600).has_value());
  std::filesystem::create_hard_link(folder_->path() / "secret", settings_.working_folder / "out");
  const BenchmarkRun result = run("true");
  EXPECT_EQ(result.run_class, RunClass::failed);
  EXPECT_NE(result.reason.find("another user's file"), std::string::npos) << result.reason;
}

TEST_F(Runner, OutputsWithATolerancesTextAreKeptWholeOrRefused) {
  const std::string much = "exec head -c 3000000 /dev/zero";
  EXPECT_EQ(run(much).outputs.at(0).text.size(), std::size_t{1} << 20U);
  settings_.compared.whole = true;
  EXPECT_EQ(run(much).outputs.at(0).text.size(), 3'000'000U);
  const BenchmarkRun result = run("exec head -c 70000000 /dev/zero");
  EXPECT_EQ(result.run_class, RunClass::limit_exceeded);
  EXPECT_NE(result.reason.find("with a tolerance"), std::string::npos) << result.reason;
}

TEST_F(Runner, InANamedFolderNoRunPassesForAnother) {
  settings_.working_folder = folder_->path() / "named";
  std::filesystem::create_directory(settings_.working_folder);
  settings_.compared.files = {"out"};
  EXPECT_EQ(run("echo x > out; echo y > kept").outputs.size(), 2U);
  EXPECT_EQ(run("true").outputs.size(), 1U);
  EXPECT_EQ(run("echo x > out; exit 3").run_class, RunClass::failed);
  EXPECT_FALSE(std::filesystem::exists(settings_.working_folder / "out"));
  EXPECT_TRUE(std::filesystem::exists(settings_.working_folder / "kept"));
}

// In a sandbox with namespaces, where its folder is one in memory.
TEST_F(Runner, FilesOfAFolderInMemoryAreRead) {
  std::filesystem::copy(std::filesystem::path(HONE_BINARY_DIR) / "bin/hone-sandbox-init",
                        folder_->path() / "init");
  SandboxSettings sandbox;
  sandbox.init = folder_->path() / "init";
  if (geteuid() == 0) {
    settings_.run_as = sandbox.run_as = RunAs{65534, 65534};
  }
  settings_.sandbox = find_sandbox(sandbox);
  for (const std::string& warning : settings_.sandbox.warnings()) {
    if (warning.find("without namespaces") != std::string::npos) {
      GTEST_SKIP() << warning;
    }
  }
  settings_.compared.files = {"*"};
  const BenchmarkRun result =
      run("echo x > out; mkdir d; echo y > d/in; chmod 700 d; df --output=fstype . | tail -1");
  EXPECT_EQ(result.run_class, RunClass::ok) << result.reason;
  EXPECT_EQ(texts_of(result),
            (std::map<std::string, std::string>{
                {"standard output", "tmpfs\n"}, {"file 'd/in'", "y\n"}, {"file 'out'", "x\n"}}));
  EXPECT_TRUE(std::filesystem::is_empty(folder_->path() / "run"));
  EXPECT_EQ(run("mkfifo out").run_class, RunClass::failed);
  EXPECT_EQ(run("true").outputs.size(), 1U) << "nothing of the run before is there";
}

TEST_F(Runner, CountsWhatItIsToMeasureAndNotWhatItIsToCheck) {
  MetricSpec metric;
  metric.metric = Metric::instructions;
  Result<BenchmarkRunner> runner = BenchmarkRunner::create(settings_, metric);
  if (!runner) {
    GTEST_SKIP() << runner.error().message;
  }
  const Arguments command = {"sh", "-c", "echo result"};
  const BenchmarkRun measured = runner->run(command, 0, {});
  ASSERT_EQ(measured.run_class, RunClass::ok) << measured.reason;
  EXPECT_GT(measured.counted.value_or(0), 10'000);
  const BenchmarkRun checked = runner->run(command, 0, {}, {}, RunPurpose::check);
  EXPECT_FALSE(checked.counted.has_value());
  EXPECT_EQ(checked.output_sha256, measured.output_sha256);
  EXPECT_EQ(runner->run({"sh", "-c", "exit 3"}, 0, {}).run_class, RunClass::failed);
}

TEST_F(Runner, AMetricThatTheMachineCannotCountIsRefused) {
  MetricSpec metric;
  metric.metric = Metric::energy;
  const Result<BenchmarkRunner> runner = BenchmarkRunner::create(settings_, metric);
  if (runner) {
    GTEST_SKIP() << "this machine measures energy";
  }
  EXPECT_EQ(runner.error().code, ErrorCode::unsupported);
}

TEST_F(Runner, AMissingProgramIsNotStarted) {
  Result<BenchmarkRunner> runner = BenchmarkRunner::create(settings_, {});
  ASSERT_TRUE(runner.has_value());
  const BenchmarkRun result = runner->run({"/no/such/benchmark"}, 0, {});
  EXPECT_EQ(result.run_class, RunClass::not_started);
  EXPECT_NE(result.reason.find("/no/such/benchmark"), std::string::npos);
  EXPECT_EQ(result.error->code, ErrorCode::not_found);
}

TEST_F(Runner, WhatTheMachineCannotDoIsNotTheProgramsDoing) {
  std::filesystem::create_directory(folder_->path() / "stdout");
  BenchmarkRun result = run("true");
  EXPECT_EQ(result.run_class, RunClass::not_started);
  ASSERT_TRUE(result.error.has_value());
  EXPECT_EQ(result.error->code, ErrorCode::unavailable) << "no file for standard output";
  settings_.folder = "/no/such/folder";
  result = run("true");
  EXPECT_EQ(result.run_class, RunClass::not_started);
  ASSERT_TRUE(result.error.has_value());
  EXPECT_EQ(result.error->code, ErrorCode::unavailable) << "no folder to run in";
}

TEST_F(Runner, StopsOnRequest) {
  std::stop_source source;
  std::jthread asker([&] {
    std::this_thread::sleep_for(100ms);
    source.request_stop();
  });
  EXPECT_EQ(run("sleep 100", {}, 0, source.get_token()).run_class, RunClass::stopped);
}

}  // namespace
}  // namespace hone
