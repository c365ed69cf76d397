#include "server/learner/models/model_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/file.h"
#include "server/learner/models/step_policy_model.h"

namespace hone {
namespace {

using testing::HasSubstr;

Model some_model() {
  Model model;
  model.kind = ModelKind::bandit;
  model.feature_version = 1;
  model.features = {"InstCount.0", "InstCount.1"};
  model.data = {.rows = 7, .first = "1", .last = "7", .source = "rows.ndjson", .programs = {"p"}};
  model.made_by = "hone-learner 0";
  model.made_at = "2026-11-29T00:00:00Z";
  model.seed = 3;
  model.cost = "IrInstructionCount";
  model.metrics = {{"rmse", 0.25}};
  model.settings = {{"a", 1}};
  model.parts = {{"first", std::string("\0\n{", 3)}, {"second", "xyz"}};
  return model;
}

// What the header holds, changed by `from` -> `to`.
std::string changed(std::string_view from, std::string_view to) {
  std::string bytes = to_bytes(some_model());
  bytes.replace(bytes.find(from), from.size(), to);
  return bytes;
}

TEST(ModelFile, ComesBackAsItWas) {
  const Result<TemporaryFolder> folder = TemporaryFolder::create("model");
  ASSERT_TRUE(folder);
  const std::filesystem::path file = folder->path() / "m";
  const Model model = some_model();
  ASSERT_TRUE(write_model(file, model));
  const Result<Model> read = read_model(file, ModelKind::bandit);
  ASSERT_TRUE(read) << read.error().describe();
  EXPECT_EQ(to_bytes(*read), to_bytes(model));
  EXPECT_EQ(*read->part("first"), std::string_view("\0\n{", 3));
  EXPECT_EQ(read->data.last, "7");
  EXPECT_EQ(read->metrics.at("rmse"), 0.25);
  EXPECT_EQ(read->part("third").error().code, ErrorCode::not_found);
  EXPECT_EQ(read_model(file, ModelKind::ppo).error().code, ErrorCode::conflict);
  EXPECT_EQ(read_model(folder->path() / "none", ModelKind::ppo).error().code, ErrorCode::not_found);
}

TEST(ModelFile, RefusesWhatIsSpoiled) {
  const std::string bytes = to_bytes(some_model());
  EXPECT_THAT(model_from_bytes(bytes.substr(0, bytes.size() - 1)).error().message,
              HasSubstr("cut short in part 'second'"));
  EXPECT_THAT(model_from_bytes(bytes + "z").error().message, HasSubstr("1 bytes behind"));
  std::string spoiled = bytes;
  spoiled.back() = '?';
  EXPECT_THAT(model_from_bytes(spoiled).error().message, HasSubstr("spoiled"));
}

TEST(ModelFile, RefusesOtherFiles) {
  EXPECT_EQ(model_from_bytes("").error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(model_from_bytes("[1]\n").error().code, ErrorCode::unsupported);
  EXPECT_EQ(model_from_bytes(changed("hone-model/1", "hone-model/2")).error().code,
            ErrorCode::unsupported);
  EXPECT_THAT(model_from_bytes(changed("\"bandit\"", "\"forest\"")).error().describe(),
              HasSubstr("\"forest\" is not one of trees, bandit, ppo"));
  EXPECT_THAT(model_from_bytes(changed("\"rows\":7", "\"rows\":-7")).error().describe(),
              HasSubstr("/data/rows"));
  EXPECT_THAT(model_from_bytes(changed("\"rows\":7", "\"rowz\":7")).error().describe(),
              HasSubstr("rowz"));
  EXPECT_THAT(model_from_bytes(changed("0.25", "null")).error().describe(),
              HasSubstr("/metrics/rmse"));
}

TEST(ModelFile, DoublesComeBack) {
  const std::vector<double> numbers = {1.5, -0.0, 1e300};
  EXPECT_EQ(*doubles_from_bytes(doubles_to_bytes(numbers)), numbers);
  EXPECT_FALSE(doubles_from_bytes("1234567"));
  EXPECT_FALSE(doubles_from_bytes("\xff\xff\xff\xff\xff\xff\xff\x7f"));
}

TEST(ModelFile, StepPolicyComesBack) {
  const StoredStepPolicy stored{
      {ActorCritic({2, 3, 2}, 1), {{0.5, 1.5}, {1.0, 2.0}}}, {"function(sroa)"}, 12};
  Model model = some_model();
  store(stored, model);
  const Result<Model> read = model_from_bytes(to_bytes(model));
  ASSERT_TRUE(read) << read.error().describe();
  const Result<StoredStepPolicy> again = step_policy_of(*read);
  ASSERT_TRUE(again) << again.error().describe();
  EXPECT_EQ(again->policy.network.weights(), stored.policy.network.weights());
  EXPECT_EQ(again->policy.scale.mean, stored.policy.scale.mean);
  EXPECT_EQ(again->actions, stored.actions);
  EXPECT_EQ(again->length, 12U);
  Model wrong = *read;
  wrong.features.emplace_back("more");
  EXPECT_THAT(step_policy_of(wrong).error().message, HasSubstr("3 features"));
  wrong = *read;
  wrong.settings["actions"].push_back("function(licm)");
  EXPECT_FALSE(step_policy_of(wrong)) << "not a pipeline, and one action too many";
  wrong = *read;
  wrong.settings["length"] = 0;
  EXPECT_THAT(step_policy_of(wrong).error().describe(), HasSubstr("/settings/length"));
}

}  // namespace
}  // namespace hone
