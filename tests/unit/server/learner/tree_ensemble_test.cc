#include "server/learner/models/tree_ensemble.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/random.h"

namespace hone {
namespace {

double truth(double x, double y) {
  return std::sin(3 * x) + (y > 0 ? 0.5 : 0);
}

// x and y in [-1, 1); four rows a program.
TrainingRows known_function(std::size_t count) {
  TrainingRows rows({"x", "y", "noise"}, 1, 0);
  Random random(1);
  for (std::size_t i = 0; i < count; ++i) {
    TrainingRow row;
    const auto draw = [&] { return static_cast<float>(2 * random.uniform() - 1); };
    row.features = {draw(), draw(), draw()};
    row.reward = truth(row.features[0], row.features[1]);
    row.program = "p" + std::to_string(i / 4);
    EXPECT_TRUE(rows.add(row));
  }
  return rows;
}

TreeEnsembleSettings small() {
  TreeEnsembleSettings settings;
  settings.members = 4;
  settings.rounds = 40;
  settings.booster.rate = 0.2;
  settings.booster.threads = 1;
  return settings;
}

class TreeEnsembleTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    std::map<std::string, double> metrics;
    Result<TreeEnsemble> trained = TreeEnsemble::train(known_function(2000), small(), metrics);
    ASSERT_TRUE(trained) << trained.error().describe();
    ensemble_ = new TreeEnsemble(*std::move(trained));
    metrics_ = new std::map<std::string, double>(std::move(metrics));
  }
  static void TearDownTestSuite() {
    delete ensemble_;
    delete metrics_;
  }

  static TreeEnsemble* ensemble_;
  static std::map<std::string, double>* metrics_;
};
TreeEnsemble* TreeEnsembleTest::ensemble_ = nullptr;
std::map<std::string, double>* TreeEnsembleTest::metrics_ = nullptr;

TEST_F(TreeEnsembleTest, LearnsAKnownFunction) {
  const std::vector<float> at = {0.5F, 0.5F, 0, -0.5F, -0.5F, 0, 0.1F, 0.7F, 0.9F};
  const auto predicted = ensemble_->predict(at);
  ASSERT_TRUE(predicted) << predicted.error().describe();
  ASSERT_EQ(predicted->size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR((*predicted)[i].mean, truth(at[3 * i], at[3 * i + 1]), 0.2);
  }
  EXPECT_GT(metrics_->at("held_out"), 50);
  EXPECT_LT(metrics_->at("rmse"), 0.1);
  EXPECT_GT(metrics_->at("rmse_of_mean"), 0.5);
}

TEST_F(TreeEnsembleTest, DisagreesWhereItKnowsLittle) {
  // Rows on one side only: beyond them trees stay as they are at the edge, each at its own.
  TrainingRows rows({"x"}, 1, 0);
  Random random(2);
  for (int i = 0; i < 400; ++i) {
    TrainingRow row;
    // Hardly any above 0.9, and steep there.
    const double x = i < 395 ? 0.9 * random.uniform() : 0.9 + 0.1 * random.uniform();
    row.features = {static_cast<float>(x)};
    row.reward = x < 0.9 ? 0.1 * x : 30 * (x - 0.9) * random.uniform();
    EXPECT_TRUE(rows.add(row));
  }
  std::map<std::string, double> metrics;
  const auto trained = TreeEnsemble::train(rows, small(), metrics);
  ASSERT_TRUE(trained) << trained.error().describe();
  const auto predicted = trained->predict(std::vector<float>{0.4F, 1.5F});
  ASSERT_TRUE(predicted);
  EXPECT_GT((*predicted)[1].deviation, 5 * (*predicted)[0].deviation);
}

TEST_F(TreeEnsembleTest, DrawsOneMembersWord) {
  const std::vector<float> at = {0.5F, 0.5F, 0};
  Random random(1);
  std::set<double> drawn;
  for (int i = 0; i < 60; ++i) {
    const auto values = ensemble_->draw(at, random);
    ASSERT_TRUE(values);
    drawn.insert(values->at(0));
  }
  EXPECT_EQ(drawn.size(), ensemble_->members());
}

TEST_F(TreeEnsembleTest, SurvivesItsFile) {
  Model model;
  model.features = {"x", "y", "noise"};
  ASSERT_TRUE(ensemble_->store(model));
  const auto read = model_from_bytes([&] {
    model.made_by = "test";
    model.made_at = "2026-11-29T00:00:00Z";
    model.data.source = "test";
    return to_bytes(model);
  }());
  ASSERT_TRUE(read) << read.error().describe();
  const auto again = TreeEnsemble::of(*read, 1);
  ASSERT_TRUE(again) << again.error().describe();
  const std::vector<float> at = {0.5F, 0.5F, 0};
  EXPECT_EQ(again->predict(at)->at(0).mean, ensemble_->predict(at)->at(0).mean);
  Model wrong = *read;
  wrong.features.pop_back();
  EXPECT_THAT(TreeEnsemble::of(wrong, 1).error().message, testing::HasSubstr("3 features, not 2"));
  wrong = *read;
  wrong.parts[1].bytes = "no booster";
  EXPECT_THAT(TreeEnsemble::of(wrong, 1).error().message, testing::HasSubstr("XGBoost"));
}

TEST_F(TreeEnsembleTest, SameSeedSameTrees) {
  const TrainingRows rows = known_function(200);
  std::map<std::string, double> metrics;
  const auto one = TreeEnsemble::train(rows, small(), metrics);
  const auto two = TreeEnsemble::train(rows, small(), metrics);
  const std::vector<float> at = {0.3F, -0.5F, 0.2F};
  EXPECT_EQ(one->predict(at)->at(0).mean, two->predict(at)->at(0).mean);
}

TEST_F(TreeEnsembleTest, RefusesWhatCannotBe) {
  std::map<std::string, double> metrics;
  EXPECT_EQ(TreeEnsemble::train(TrainingRows({"x"}, 1, 0), small(), metrics).error().code,
            ErrorCode::invalid_argument);
  TreeEnsembleSettings one = small();
  one.members = 1;
  EXPECT_THAT(TreeEnsemble::train(known_function(10), one, metrics).error().message,
              testing::HasSubstr("1 boosters"));
  EXPECT_THAT(ensemble_->predict(std::vector<float>{1, 2}).error().message,
              testing::HasSubstr("2 numbers are no rows of 3 features"));
}

}  // namespace
}  // namespace hone
