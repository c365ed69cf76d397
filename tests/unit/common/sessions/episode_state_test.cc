#include "common/sessions/episode_state.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/sessions/csv.h"

namespace hone {
namespace {

TEST(Csv, ReadsFieldsInQuotesAndKeepsCountOfLines) {
  CsvReader reader("a,\"b,\"\"c\"\"\nd\",\r\n\n\"\",x");
  const auto first = reader.next();
  ASSERT_TRUE(first && *first);
  EXPECT_EQ((*first)->line, 1U);
  EXPECT_EQ((*first)->fields, (std::vector<std::string>{"a", "b,\"c\"\nd", ""}));
  const auto second = reader.next();
  ASSERT_TRUE(second && *second);
  EXPECT_EQ((*second)->line, 4U);
  EXPECT_EQ((*second)->fields, (std::vector<std::string>{"", "x"}));
  EXPECT_FALSE(reader.next()->has_value());
}

TEST(Csv, ABadRowIsRefusedAndTheNextOneRead) {
  CsvReader reader("\"a\"b,c\nd\n\"e");
  EXPECT_NE(reader.next().error().message.find("line 1"), std::string::npos);
  EXPECT_EQ((*reader.next())->fields, std::vector<std::string>{"d"});
  EXPECT_NE(reader.next().error().message.find("line 3"), std::string::npos);
  EXPECT_FALSE(reader.next()->has_value());
}

TEST(EpisodeState, GoesRoundThroughCsv) {
  const EpisodeState state{.benchmark = "file:///tmp/a, \"b\".bc",
                           .reward = 0.1,
                           .walltime = 2,
                           .commandline = "opt -passes='sroa,gvn' input.bc -o output.bc"};
  EXPECT_EQ(to_csv(state),
            "\"file:///tmp/a, \"\"b\"\".bc\",0.1,2.0,"
            "\"opt -passes='sroa,gvn' input.bc -o output.bc\"");
  const auto rows = read_states(std::string(kStateCsvHeader) + "\n" + to_csv(state) + "\n");
  ASSERT_TRUE(rows && rows->size() == 1);
  EXPECT_EQ((*rows)[0].line, 2U);
  EXPECT_EQ(to_json(*(*rows)[0].state), to_json(state));
}

TEST(EpisodeState, ReadsWhatCompilerGymWrites) {
  // The example of CompilerGym's validate script, and no reward.
  const auto rows = read_states(
      "benchmark,reward,walltime,commandline\r\n"
      "cbench-v1/crc32,0,1.2,opt  input.bc -o output.bc\r\n"
      "benchmark://cbench-v1/rijndael,,20.53565216064453,"
      "opt -add-discriminators input.bc -o output.bc\r\n");
  ASSERT_TRUE(rows && rows->size() == 2);
  EXPECT_EQ((*rows)[0].state->reward, 0.0);
  EXPECT_EQ((*rows)[1].state->reward, std::nullopt);
  EXPECT_EQ((*rows)[1].state->walltime, 20.53565216064453);
  EXPECT_EQ((*rows)[1].state->commandline, "opt -add-discriminators input.bc -o output.bc");
}

TEST(EpisodeState, ColumnsMayStandInAnyOrder) {
  const auto rows = read_states("commandline,benchmark,walltime,reward\nopt,x-v0/1,3,-4e-1\n");
  ASSERT_TRUE(rows && rows->size() == 1);
  EXPECT_EQ((*rows)[0].state->benchmark, "x-v0/1");
  EXPECT_EQ((*rows)[0].state->reward, -0.4);
}

TEST(EpisodeState, BadRowsNameColumnAndValueAndTheOthersAreRead) {
  const auto rows = read_states(
      "benchmark,reward,walltime,commandline\n"
      "a,much,1,opt\n"
      "b,1,-1,opt\n"
      ",1,1,opt\n"
      "c,1,opt\n"
      "d,nan,1,opt\n"
      "e,1,1,opt\n");
  ASSERT_TRUE(rows && rows->size() == 6);
  const auto message = [&](std::size_t row) { return (*rows)[row].state.error().message; };
  EXPECT_EQ(message(0), "column reward: 'much' must be a finite number, like 0.25");
  EXPECT_EQ(message(1), "column walltime: '-1' must be seconds, 0 or more");
  EXPECT_NE(message(2).find("column benchmark"), std::string::npos);
  EXPECT_NE(message(3).find("3 columns"), std::string::npos);
  EXPECT_NE(message(4).find("'nan'"), std::string::npos);
  EXPECT_EQ((*rows)[5].line, 7U);
  EXPECT_EQ((*rows)[5].state->benchmark, "e");
}

TEST(EpisodeState, AHeaderOfAnotherFormIsRefused) {
  EXPECT_NE(read_states("").error().message.find("commandline"), std::string::npos);
  EXPECT_NE(
      read_states("benchmark,reward,walltime\n").error().message.find("no column commandline"),
      std::string::npos);
  EXPECT_NE(read_states("benchmark,reward,walltime,commandline,x\n").error().message.find("'x'"),
            std::string::npos);
  EXPECT_NE(read_states("benchmark,reward,reward,commandline\n").error().message.find("twice"),
            std::string::npos);
}

}  // namespace
}  // namespace hone
