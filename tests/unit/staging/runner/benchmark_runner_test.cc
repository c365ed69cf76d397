#include "staging/runner/benchmark_runner.h"

#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include <gtest/gtest.h>

#include "common/base/file.h"
#include "common/base/sha256.h"

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

TEST_F(Runner, AMissingProgramIsNotStarted) {
  Result<BenchmarkRunner> runner = BenchmarkRunner::create(settings_, {});
  ASSERT_TRUE(runner.has_value());
  const BenchmarkRun result = runner->run({"/no/such/benchmark"}, 0, {});
  EXPECT_EQ(result.run_class, RunClass::not_started);
  EXPECT_NE(result.reason.find("/no/such/benchmark"), std::string::npos);
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
