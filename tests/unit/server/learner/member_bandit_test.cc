#include "server/learner/models/member_bandit.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/random.h"

namespace hone {
namespace {

// Three members; what each is worth where x is -1 and where it is 1.
constexpr std::array<std::array<double, 3>, 2> kWorth = {{{0.02, 0.08, 0.01}, {0.06, 0.01, 0.01}}};

// The log's policy tries member 2 nine times in ten. A program's second feature makes it another.
DecisionLog skewed_log(std::size_t rows, double lucky) {
  Random random(4);
  DecisionLog log;
  log.actions = 3;
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t side = random.below(2);
    const double u = random.uniform();
    const std::size_t member = u < 0.9 ? 2 : u < 0.95 ? 0 : 1;
    const double noise = 0.02 * (random.uniform() - 0.5);
    log.rows.push_back({{side == 0 ? -1.0 : 1.0, random.uniform()},
                        member,
                        std::log(member == 2 ? 0.9 : 0.05),
                        kWorth[side][member] + noise + (member == 2 ? 0 : lucky * noise)});
  }
  return log;
}

TEST(MemberBandit, FindsTheBestMemberOfEachKindFromASkewedLog) {
  const auto bandit = MemberBandit::fit(skewed_log(2000, 0), {});
  ASSERT_TRUE(bandit) << bandit.error().describe();
  EXPECT_FALSE(std::isinf(bandit->penalty())) << "the first feature tells much";
  EXPECT_EQ(bandit->order(std::vector{-1.0, 0.5}).front(), 1U);
  EXPECT_EQ(bandit->order(std::vector{1.0, 0.5}).front(), 0U);
  const std::vector<MemberGuess> guesses = bandit->guess(std::vector{-1.0, 0.5});
  EXPECT_NEAR(guesses[1].value, 0.08, 0.02);
  EXPECT_NEAR(guesses[2].value, 0.01, 0.005);
  EXPECT_GT(guesses[1].error, 2 * guesses[2].error) << "seldom tried, less sure";
}

TEST(MemberBandit, OrderHoldsEveryMemberOnce) {
  const auto bandit = MemberBandit::fit(skewed_log(300, 0), {});
  ASSERT_TRUE(bandit);
  EXPECT_THAT(bandit->order(std::vector{1.0, 0.1}), testing::UnorderedElementsAre(0, 1, 2));
}

TEST(MemberBandit, SecondMemberIsGoodWhereTheFirstIsNot) {
  // Nothing tells the programs apart: member 0 is best on average, 1 nearly as good on the same
  // ones, 2 good on the others.
  DecisionLog log;
  log.actions = 3;
  Random random(9);
  for (std::size_t i = 0; i < 300; ++i) {
    const bool odd = random.chance(2, 5);
    const std::array<double, 3> worth =
        odd ? std::array{0.0, 0.0, 0.05} : std::array{0.10, 0.09, 0.0};
    const double x = random.uniform();
    for (std::size_t member = 0; member < 3; ++member) {
      log.rows.push_back({{x}, member, std::log(1.0 / 3), worth[member]});
    }
  }
  const auto bandit = MemberBandit::fit(log, {});
  ASSERT_TRUE(bandit) << bandit.error().describe();
  EXPECT_THAT(bandit->order(std::vector{0.5}), testing::ElementsAre(0, 2, 1));
}

TEST(MemberBandit, CautionKeepsALuckyMemberBack) {
  // Member 1 was tried four times, and did well twice, whatever the feature says.
  DecisionLog log;
  log.actions = 2;
  Random random(3);
  for (int i = 0; i < 200; ++i) {
    const bool rare = i % 50 == 0;
    log.rows.push_back({{random.uniform()},
                        rare ? 1U : 0U,
                        std::log(rare ? 0.02 : 0.98),
                        rare ? (i % 100 == 0 ? 0.16 : 0.0) : 0.05});
  }
  const auto bold = MemberBandit::fit(log, {.caution = 0});
  const auto careful = MemberBandit::fit(log, {.caution = 2});
  ASSERT_TRUE(bold && careful);
  EXPECT_EQ(bold->order(std::vector{0.5}).front(), 1U);
  EXPECT_EQ(careful->order(std::vector{0.5}).front(), 0U);
}

TEST(MemberBandit, SurvivesItsFile) {
  const auto bandit = MemberBandit::fit(skewed_log(400, 0), {});
  ASSERT_TRUE(bandit);
  Model model;
  model.features = {"x", "z"};
  model.made_by = "test";
  model.made_at = "2026-11-29T00:00:00Z";
  model.data.source = "test";
  const std::vector<std::vector<std::string>> sequences = {
      {"default<Oz>"}, {"function(sroa)", "globaldce"}, {"mergefunc"}};
  bandit->store(sequences, model);
  const auto read = model_from_bytes(to_bytes(model));
  ASSERT_TRUE(read) << read.error().describe();
  const auto again = MemberBandit::of(*read);
  ASSERT_TRUE(again) << again.error().describe();
  const std::vector<double> features = {0.4, 0.2};
  EXPECT_EQ(again->order(features), bandit->order(features));
  EXPECT_EQ(again->guess(features)[1].value, bandit->guess(features)[1].value);
  EXPECT_EQ(*MemberBandit::sequences_of(*read), sequences);
  Model wrong = *read;
  wrong.features.emplace_back("more");
  EXPECT_THAT(MemberBandit::of(wrong).error().message,
              testing::HasSubstr("part 'mean' has 2 numbers, not 3"));
  wrong = *read;
  wrong.settings["members"][0]["pipelines"][0] = "iroutliner";
  EXPECT_THAT(MemberBandit::of(wrong).error().describe(), testing::HasSubstr("iroutliner"));
}

TEST(MemberBandit, RefusesALogThatIsTooShort) {
  EXPECT_EQ(MemberBandit::fit(skewed_log(9, 0), {}).error().code, ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace hone
