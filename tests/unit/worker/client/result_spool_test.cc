#include "worker/client/result_spool.h"

#include <optional>

#include <gtest/gtest.h>

#include "common/base/file.h"

namespace hone {
namespace {

SpooledResult entry(const std::string& attempt) {
  SpooledResult made;
  made.lease.attempt = attempt;
  made.lease.job = "0123";
  made.lease.target.name = "t";
  made.lease.target.source.artifact = std::string(64, 'a');
  made.lease.target.build.commands = {{"make"}};
  made.lease.target.build.binaries = {"a"};
  made.lease.target.benchmark.command = {"a"};
  made.result.outcome = Outcome::build_failed;
  made.result.reason = "no rule";
  return made;
}

TEST(ResultSpool, KeepsResultsOverARestartUntilForgotten) {
  Result<TemporaryFolder> folder = TemporaryFolder::create("spool-test");
  ASSERT_TRUE(folder.has_value());
  {
    ResultSpool spool(folder->path());
    ASSERT_TRUE(spool.keep(entry("attempt-1")).has_value());
    ASSERT_TRUE(spool.keep(entry("attempt-2")).has_value());
  }
  ResultSpool spool(folder->path());
  ASSERT_EQ(spool.entries().size(), 2U);
  EXPECT_EQ(spool.entries()[0].result.reason, "no rule");
  spool.forget("attempt-1");
  ASSERT_EQ(spool.entries().size(), 1U);
  EXPECT_EQ(spool.entries()[0].lease.attempt, "attempt-2");
}

TEST(ResultSpool, SetsAsideWhatItCannotRead) {
  Result<TemporaryFolder> folder = TemporaryFolder::create("spool-test");
  ASSERT_TRUE(folder.has_value());
  ASSERT_TRUE(write_file_atomically(folder->path() / "x.json", "{\"lease\":").has_value());
  ResultSpool spool(folder->path());
  EXPECT_TRUE(spool.entries().empty());
  EXPECT_TRUE(std::filesystem::exists(folder->path() / "x.json.bad"));
}

TEST(ResultSpool, SetsAsideWhatHonedRefusesAndKeepsTheNewestOfThese) {
  Result<TemporaryFolder> folder = TemporaryFolder::create("spool-test");
  ASSERT_TRUE(folder.has_value());
  ResultSpool spool(folder->path());
  EXPECT_FALSE(spool.set_aside("attempt").has_value()) << "it is not there";
  std::filesystem::file_time_type time = std::filesystem::file_time_type::clock::now();
  for (std::size_t i = 0; i < ResultSpool::kMostAside + 2; ++i) {
    const std::string attempt = "attempt-" + std::to_string(i);
    ASSERT_TRUE(spool.keep(entry(attempt)).has_value());
    time += std::chrono::seconds(1);
    std::filesystem::last_write_time(folder->path() / (attempt + ".json"), time);
    const Result<std::filesystem::path> aside = spool.set_aside(attempt);
    ASSERT_TRUE(aside.has_value()) << aside.error().message;
    EXPECT_TRUE(std::filesystem::exists(*aside));
  }
  EXPECT_TRUE(spool.entries().empty()) << "nobody sends it again";
  EXPECT_FALSE(std::filesystem::exists(folder->path() / "attempt-1.json.refused"));
  EXPECT_TRUE(std::filesystem::exists(folder->path() / "attempt-2.json.refused"));
}

TEST(ResultSpool, RefusesIdsThatAreNoFileNames) {
  Result<TemporaryFolder> folder = TemporaryFolder::create("spool-test");
  ASSERT_TRUE(folder.has_value());
  ResultSpool spool(folder->path());
  EXPECT_EQ(spool.keep(entry("../evil")).error().code, ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace hone
