// Episodes on a small program with a real hone-session.
#include "server/learner/lab/pass_episodes.h"

#include <cmath>
#include <fstream>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/file.h"
#include "server/learner/lab/program_features.h"

namespace hone {
namespace {

// What sroa makes smaller, and the end of an episode leaves alone.
constexpr char kProgram[] = R"(
define i32 @twice(i32 %x) {
  %p = alloca i32
  %q = alloca i32
  store i32 %x, ptr %p
  %v = load i32, ptr %p
  %s = add i32 %v, %v
  store i32 %s, ptr %q
  %r = load i32, ptr %q
  ret i32 %r
}
)";

enum Action : std::size_t { kSroa, kLicm, kEnd };

class PassEpisodesTest : public testing::Test {
 protected:
  void SetUp() override {
    Result<TemporaryFolder> folder = TemporaryFolder::create("episodes");
    ASSERT_TRUE(folder) << folder.error().describe();
    folder_.emplace(*std::move(folder));
    const std::filesystem::path file = folder_->path() / "p.ll";
    std::ofstream(file) << kProgram;
    Result<SessionClient> client = SessionClient::start(HONE_BINARY_DIR "/bin/hone-session");
    ASSERT_TRUE(client) << client.error().describe();
    episodes_.emplace(*std::move(client),
                      PassEpisodesSettings{
                          .actions = {"function(sroa)", "function(loop-mssa(licm))"}, .length = 3});
    const Result<void> added = episodes_->add(file);
    ASSERT_TRUE(added) << added.error().describe();
  }

  std::optional<TemporaryFolder> folder_;
  std::optional<PassEpisodes> episodes_;
};

TEST_F(PassEpisodesTest, RewardsAreLogarithmsOfRatios) {
  EXPECT_EQ(episodes_->cost(0), 8);
  EXPECT_EQ(episodes_->oz(0), 2);
  const std::vector<std::size_t> programs = {0, 0};
  const auto begun = episodes_->begin(programs);
  ASSERT_TRUE(begun) << begun.error().describe();
  ASSERT_EQ(begun->size(), 2U);
  EXPECT_EQ((*begun)[0].observation.size(), episodes_->inputs());
  EXPECT_NEAR((*begun)[0].observation[kProgramFeatures], std::log(4.0), 1e-12) << "against -Oz";
  EXPECT_THAT((*begun)[0].allowed, testing::ElementsAre(1, 1, 1));

  const auto stepped = episodes_->step(std::vector<std::size_t>{kSroa, kEnd});
  ASSERT_TRUE(stepped) << stepped.error().describe();
  EXPECT_NEAR((*stepped)[0].reward, std::log(8.0 / 2.0), 1e-12);
  EXPECT_FALSE((*stepped)[0].done);
  EXPECT_NEAR((*stepped)[0].observation[kProgramFeatures], 0, 1e-12);
  EXPECT_EQ((*stepped)[0].observation[kProgramFeatures + 3 + kSroa], 1) << "what was taken";
  EXPECT_TRUE((*stepped)[1].done);
  EXPECT_EQ((*stepped)[1].reward, 0);
  EXPECT_EQ(episodes_->sequence({kSroa, kEnd}), (Sequence{"function(sroa)"}));
}

TEST_F(PassEpisodesTest, WhatChangesNothingIsMaskedAndLengthEnds) {
  ASSERT_TRUE(episodes_->begin(std::vector<std::size_t>{0}));
  const auto first = episodes_->step(std::vector<std::size_t>{kLicm});
  ASSERT_TRUE(first) << first.error().describe();
  EXPECT_THAT((*first)[0].allowed, testing::ElementsAre(1, 0, 1)) << "licm changed nothing";
  EXPECT_EQ((*first)[0].reward, 0);
  const auto second = episodes_->step(std::vector<std::size_t>{kSroa});
  ASSERT_TRUE(second);
  EXPECT_EQ((*second)[0].allowed[kLicm], 1) << "since then something else did";
  const auto third = episodes_->step(std::vector<std::size_t>{kLicm});
  ASSERT_TRUE(third);
  EXPECT_TRUE((*third)[0].done) << "three steps";
  const auto again = episodes_->begin(std::vector<std::size_t>{0});
  ASSERT_TRUE(again);
  EXPECT_NEAR((*again)[0].observation[kProgramFeatures + 1], 0, 1e-12) << "from the beginning";
}

TEST_F(PassEpisodesTest, RefusesAProgramThatLeavesNothing) {
  const std::filesystem::path file = folder_->path() / "empty.ll";
  std::ofstream(file) << "@x = global i32 1\n";
  EXPECT_EQ(episodes_->add(file).error().code, ErrorCode::unsupported);
  EXPECT_EQ(episodes_->programs(), 1U);
}

TEST(ProgramFeatures, DoNotDependOnTheSize) {
  std::vector<std::int64_t> small(kInstCounts, 9);
  std::vector<std::int64_t> large(kInstCounts, 99);
  const std::vector<std::int64_t> few(kAutophaseCounts, 4);
  const std::vector<std::int64_t> many(kAutophaseCounts, 49);
  const std::vector<double> one = program_features(small, few);
  const std::vector<double> two = program_features(large, many);
  ASSERT_EQ(one.size(), kProgramFeatures);
  ASSERT_EQ(program_feature_names().size(), kProgramFeatures);
  EXPECT_NEAR(one[0], std::log(10), 1e-12);
  EXPECT_NEAR(two[0], std::log(100), 1e-12);
  EXPECT_NEAR(one[5], two[5], 1e-12);
  EXPECT_NEAR(one[kInstCounts], std::log(0.5), 1e-12);
  EXPECT_NEAR(two[kInstCounts], std::log(0.5), 1e-12);
}

}  // namespace
}  // namespace hone
