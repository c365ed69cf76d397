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

TEST(LocalBench, ACheckIsTheProgramWithOtherArguments) {
  LocalBenchSettings settings;
  settings.baseline = "echo timed 1.5";
  settings.candidates = {"printf %s timed"};
  settings.checks = {"'a b' c", ""};
  settings.metric = {.metric = Metric::printed, .pattern = "timed ([0-9.]+)"};
  Result<LocalBench> bench = LocalBench::create(settings);
  ASSERT_TRUE(bench.has_value()) << bench.error().message;
  const BenchmarkRun made = bench->run({SampleRole::baseline, 1}, {});
  EXPECT_EQ(made.run_class, RunClass::ok) << "no metric is asked of it: " << made.reason;
  EXPECT_EQ(made.output_sha256, sha256_hex("a b c\n"));
  EXPECT_EQ(bench->run({SampleRole::baseline, 2}, {}).output_sha256, sha256_hex("\n"));
  EXPECT_EQ(bench->run({SampleRole::candidate, 1}, {}).output_sha256, sha256_hex("a b"));
  EXPECT_EQ(bench->run({SampleRole::baseline, 0}, {}).printed, 1.5);
  settings.checks = {"a | b"};
  EXPECT_EQ(LocalBench::create(settings).error().code, ErrorCode::invalid_argument);
}

TEST(LocalBench, NoFileOfTheUsersIsTakenForAnOutput) {
  const Result<TemporaryFolder> folder = TemporaryFolder::create("bench-test");
  ASSERT_TRUE(folder.has_value());
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder->path());
  LocalBenchSettings settings;
  settings.baseline = "sh -c 'echo 1 > out'";
  settings.candidates = {"true"};
  settings.compared.files = {"o*"};
  ASSERT_TRUE(write_file_atomically("out", "the user's").has_value());
  const Result<LocalBench> refused = LocalBench::create(settings);
  ASSERT_TRUE(refused.has_error());
  EXPECT_EQ(refused.error().code, ErrorCode::invalid_argument);
  EXPECT_NE(refused.error().message.find("'out' is there already"), std::string::npos);
  EXPECT_EQ(*read_file("out", 100), "the user's");
  std::filesystem::remove("out");
  Result<LocalBench> bench = LocalBench::create(settings);
  ASSERT_TRUE(bench.has_value()) << bench.error().message;
  EXPECT_EQ(bench->run({SampleRole::baseline}, {}).outputs.size(), 2U);
  EXPECT_EQ(bench->run({SampleRole::candidate}, {}).outputs.size(), 1U);
  EXPECT_FALSE(std::filesystem::exists("out"));
  std::filesystem::current_path(before);
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

TEST(LocalBench, ASizeIsKnownWithoutARun) {
  LocalBenchSettings settings;
  settings.baseline = "/usr/bin/printf ''";
  settings.candidates = {"/usr/bin/false", "/usr/bin/true"};
  EXPECT_FALSE(LocalBench::create(settings)->known_value({}).has_value());
  settings.metric.metric = Metric::binary_bytes;
  const Result<LocalBench> bench = LocalBench::create(settings);
  ASSERT_TRUE(bench.has_value()) << bench.error().message;
  const auto size = [](const char* file) {
    return static_cast<double>(std::filesystem::file_size(file));
  };
  EXPECT_EQ(bench->known_value({}), size("/usr/bin/printf"));
  BenchRun second{SampleRole::candidate};
  second.candidate = 1;
  EXPECT_EQ(bench->known_value(second), size("/usr/bin/true"));
}

TEST(LocalBench, LinksAreOfNoUseWhereTheyMakeNoDifference) {
  LocalBenchSettings settings;
  settings.baseline = "true {link}";
  settings.candidates = {"true {link}"};
  settings.links = 2;
  settings.metric.metric = Metric::instructions;
  const Result<LocalBench> bench = LocalBench::create(settings);
  ASSERT_FALSE(bench.has_value());
  EXPECT_EQ(bench.error().code, ErrorCode::invalid_argument);
  EXPECT_NE(bench.error().message.find("--links 2"), std::string::npos);
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
