#include "server/learner/lab/tree_model.h"

#include <algorithm>

#include <fmt/format.h>

#include "common/pipelines/action_table.h"
#include "server/learner/lab/program_features.h"

namespace hone {
namespace {

constexpr std::string_view kTaken = "taken.";
constexpr int kLlvmMajor = 19;

}  // namespace

Result<TreeModel> tree_model(const Model& model, std::size_t threads) {
  if (model.feature_version != kFeatureVersion && model.feature_version != kFeatureVersionIr2Vec) {
    return fail(ErrorCode::unsupported,
                fmt::format("its features are of version {}, not {} or {}", model.feature_version,
                            kFeatureVersion, kFeatureVersionIr2Vec));
  }
  const auto first = std::ranges::find_if(
      model.features, [](const std::string& name) { return name.starts_with(kTaken); });
  const auto of_program = static_cast<std::size_t>(first - model.features.begin());
  const bool with_ir2vec = model.feature_version == kFeatureVersionIr2Vec;
  if (of_program < kProgramFeatures + (with_ir2vec ? 1 : 0) ||
      of_program > kProgramFeatures + (with_ir2vec ? kMaxIr2Vec : 0)) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} features stand in front of the first \"{}...\", not a program's {}",
                            of_program, kTaken, kProgramFeatures));
  }
  const std::size_t ir2vec = of_program - kProgramFeatures;
  const std::vector<std::string> names = program_feature_names(ir2vec);
  if (!std::equal(names.begin(), names.end(), model.features.begin())) {
    return fail(ErrorCode::invalid_argument, "its first features are not a program's");
  }
  std::vector<std::string> actions;
  for (auto name = first; name != model.features.end(); ++name) {
    std::string action = name->starts_with(kTaken) ? name->substr(kTaken.size()) : std::string();
    const Result<Forest> forest = parse_pipeline(action);
    const Result<void> allowed =
        forest ? check_pipeline(*forest, kLlvmMajor) : Result<void>(forest.error());
    if (!allowed) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("feature \"{}\": {}", *name, allowed.error().message));
    }
    actions.push_back(std::move(action));
  }
  if (actions.empty()) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("it has no feature \"{}...\": a search can do nothing that it knows of",
                            kTaken));
  }
  HONE_TRY(TreeEnsemble trees, TreeEnsemble::of(model, threads));
  return TreeModel{std::move(trees), ir2vec, std::move(actions)};
}

}  // namespace hone
