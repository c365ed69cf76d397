#include "build_integration/cli/local_bench.h"

#include <cstdlib>

#include <gtest/gtest.h>

#include "common/base/sha256.h"

namespace hone {
namespace {

BenchmarkRun run(const LocalBenchSettings& settings, const BenchRun& wanted) {
  Result<LocalBench> bench = LocalBench::create(settings);
  EXPECT_TRUE(bench.has_value());
  return bench->run(wanted, {});
}

TEST(LocalBench, RunsTheSidesHereWithWhatTheyWereGiven) {
  LocalBenchSettings settings;
  settings.baseline = "sh -c 'printf \"%s %s\" \"$PWD\" \"$WORD\"'";
  settings.candidates = {"echo other"};
  settings.environment = {"WORD=given"};
  const BenchmarkRun baseline = run(settings, {});
  EXPECT_EQ(baseline.run_class, RunClass::ok) << baseline.reason;
  EXPECT_EQ(baseline.output_sha256,
            sha256_hex(std::filesystem::current_path().string() + " given"));
  EXPECT_EQ(run(settings, {SampleRole::candidate}).output_sha256, sha256_hex("other\n"));
}

TEST(LocalBench, ProgramsAreLookedUpInOurPath) {
  LocalBenchSettings settings;
  settings.baseline = "sh -c 'echo $PATH $HONE_TEST_UNKNOWN'";
  settings.candidates = {"true"};
  ::setenv("HONE_TEST_UNKNOWN", "not handed on", 1);
  EXPECT_EQ(run(settings, {}).output_sha256, sha256_hex(std::string(std::getenv("PATH")) + "\n"));
  settings.environment = {"PATH=/usr/bin:/bin"};
  EXPECT_EQ(run(settings, {}).output_sha256, sha256_hex("/usr/bin:/bin\n"));
}

TEST(LocalBench, ALinkIsNamedByItsNumber) {
  LocalBenchSettings settings;
  settings.baseline = "echo b{link} {link}";
  settings.candidates = {"echo c{link}"};
  settings.links = 3;
  Result<LocalBench> bench = LocalBench::create(settings);
  ASSERT_TRUE(bench.has_value());
  EXPECT_EQ(bench->layouts(), 3U);
  EXPECT_EQ(bench->run({SampleRole::baseline, 0, 2}, {}).output_sha256, sha256_hex("b2 2\n"));
  EXPECT_EQ(bench->run({SampleRole::candidate, 0, 0}, {}).output_sha256, sha256_hex("c0\n"));
}

TEST(LocalBench, LinksAndTheirPlaceBelongTogether) {
  LocalBenchSettings settings;
  settings.baseline = "echo {link}";
  settings.candidates = {"echo"};
  for (const std::size_t links : {std::size_t{1}, std::size_t{2}}) {
    settings.links = links;
    const Result<LocalBench> bench = LocalBench::create(settings);
    ASSERT_FALSE(bench.has_value()) << links;
    EXPECT_EQ(bench.error().code, ErrorCode::invalid_argument);
  }
}

TEST(LocalBench, AProgramThatIsNotThereIsBadInput) {
  LocalBenchSettings settings;
  settings.baseline = "true";
  settings.candidates = {"./missing a"};
  const Result<LocalBench> bench = LocalBench::create(settings);
  ASSERT_FALSE(bench.has_value());
  EXPECT_EQ(bench.error().code, ErrorCode::invalid_argument);
  EXPECT_NE(bench.error().message.find("cannot run ./missing"), std::string::npos);
}

}  // namespace
}  // namespace hone
