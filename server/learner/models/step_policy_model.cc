#include "server/learner/models/step_policy_model.h"

#include "common/json/object_reader.h"
#include "common/pipelines/action_table.h"
#include "common/pipelines/forest.h"

namespace hone {
namespace {

constexpr int kLlvmMajor = 19;
constexpr std::size_t kMaxLength = 1'000;

void check_action(const std::string& action, ObjectReader& reader) {
  const Result<Forest> forest = parse_pipeline(action);
  const Result<void> allowed =
      forest ? check_pipeline(*forest, kLlvmMajor) : Result<void>(forest.error());
  if (!allowed) {
    reader.refuse("actions", "\"" + action + "\": " + allowed.error().message);
  }
}

}  // namespace

void store(const StoredStepPolicy& stored, Model& model) {
  const StepPolicy& policy = stored.policy;
  model.kind = ModelKind::ppo;
  model.settings = {{"actions", stored.actions},
                    {"length", stored.length},
                    {"hidden", policy.network.shape().hidden}};
  const Eigen::VectorXd& weights = policy.network.weights();
  model.parts = {
      {"mean", doubles_to_bytes(policy.scale.mean)},
      {"scale", doubles_to_bytes(policy.scale.scale)},
      {"weights", doubles_to_bytes({weights.data(), static_cast<std::size_t>(weights.size())})}};
}

Result<StoredStepPolicy> step_policy_of(const Model& model) {
  Problems problems;
  ObjectReader reader(model.settings, "/settings", problems, UnknownKeys::refuse);
  std::vector<std::string> actions =
      reader.text_list("actions", kMaxPolicyActions - 1, {.max_size = kMaxPipelineBytes});
  for (const std::string& action : actions) {
    check_action(action, reader);
  }
  const auto length = static_cast<std::size_t>(reader.integer("length", 1, kMaxLength));
  const auto hidden =
      static_cast<std::size_t>(reader.integer("hidden", 1, static_cast<int>(kMaxHidden)));
  reader.finish();
  if (auto error = problems.as_error("model of kind ppo")) {
    return *std::move(error);
  }
  InputScale scale;
  HONE_TRY(const std::string_view mean, model.part("mean"));
  HONE_TRY(scale.mean, doubles_from_bytes(mean));
  HONE_TRY(const std::string_view factor, model.part("scale"));
  HONE_TRY(scale.scale, doubles_from_bytes(factor));
  HONE_TRY(const std::string_view bytes, model.part("weights"));
  HONE_TRY(const std::vector<double> weights, doubles_from_bytes(bytes));
  const ActorCriticShape shape{model.features.size(), hidden, actions.size() + 1};
  if (scale.mean.size() != shape.inputs || scale.scale.size() != shape.inputs) {
    return fail(ErrorCode::invalid_argument, "the model has " + std::to_string(shape.inputs) +
                                                 " features and scales of " +
                                                 std::to_string(scale.mean.size()) + " and " +
                                                 std::to_string(scale.scale.size()));
  }
  HONE_TRY(ActorCritic network, ActorCritic::from_weights(shape, weights));
  return StoredStepPolicy{{std::move(network), std::move(scale)}, std::move(actions), length};
}

}  // namespace hone
