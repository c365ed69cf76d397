#include "server/learner/models/boosted_trees.h"

#include <xgboost/c_api.h>

#include <cmath>
#include <limits>

namespace hone {
namespace {

Result<void> check(int returned, ErrorCode code = ErrorCode::internal) {
  if (returned == 0) {
    return {};
  }
  // What follows the first line is a stack trace.
  const std::string_view reason = XGBGetLastError();
  return fail(code, "XGBoost: " + std::string(reason.substr(0, reason.find('\n'))));
}

Result<void> set(BoosterHandle booster, const char* name, const std::string& value) {
  return check(XGBoosterSetParam(booster, name, value.c_str()));
}

}  // namespace

void FeatureMatrix::Free::operator()(void* handle) const {
  XGDMatrixFree(handle);
}
void BoostedTrees::Free::operator()(void* handle) const {
  XGBoosterFree(handle);
}

Result<FeatureMatrix> FeatureMatrix::create(std::span<const float> values, std::size_t width,
                                            std::size_t threads) {
  FeatureMatrix matrix;
  matrix.rows_ = width == 0 ? 0 : values.size() / width;
  DMatrixHandle handle = nullptr;
  HONE_CHECK(check(XGDMatrixCreateFromMat_omp(values.data(), matrix.rows_, width,
                                              std::numeric_limits<float>::quiet_NaN(), &handle,
                                              static_cast<int>(threads))));
  matrix.handle_.reset(handle);
  return matrix;
}

Result<void> FeatureMatrix::set_targets(std::span<const float> targets) {
  return check(XGDMatrixSetFloatInfo(handle(), "label", targets.data(), targets.size()));
}

Result<void> FeatureMatrix::set_weights(std::span<const float> weights) {
  return check(XGDMatrixSetFloatInfo(handle(), "weight", weights.data(), weights.size()));
}

Result<BoostedTrees> BoostedTrees::create(const FeatureMatrix& matrix,
                                          const BoosterSettings& settings) {
  BoostedTrees made;
  BoosterHandle handle = nullptr;
  DMatrixHandle rows = matrix.handle();
  HONE_CHECK(check(XGBoosterCreate(&rows, 1, &handle)));
  made.handle_.reset(handle);
  const std::vector<std::pair<const char*, std::string>> parameters = {
      {"objective", "reg:squarederror"},
      {"tree_method", "hist"},
      {"base_score", "0"},
      {"max_depth", std::to_string(settings.depth)},
      {"eta", std::to_string(settings.rate)},
      {"subsample", std::to_string(settings.subsample)},
      {"colsample_bytree", std::to_string(settings.subsample)},
      {"max_bin", std::to_string(settings.bins)},
      {"nthread", std::to_string(settings.threads)},
      {"seed", std::to_string(settings.seed & 0x7fffffffU)},
      {"verbosity", "0"}};
  for (const auto& [name, value] : parameters) {
    HONE_CHECK(set(handle, name, value));
  }
  return made;
}

Result<void> BoostedTrees::update(const FeatureMatrix& matrix, int round) {
  return check(XGBoosterUpdateOneIter(handle_.get(), round, matrix.handle()));
}

Result<BoostedTrees> BoostedTrees::load(std::string_view bytes, std::size_t width,
                                        std::size_t threads) {
  BoostedTrees made;
  BoosterHandle handle = nullptr;
  HONE_CHECK(check(XGBoosterCreate(nullptr, 0, &handle)));
  made.handle_.reset(handle);
  HONE_CHECK(set(handle, "verbosity", "0"));
  HONE_CHECK(check(XGBoosterLoadModelFromBuffer(handle, bytes.data(), bytes.size()),
                   ErrorCode::invalid_argument));
  HONE_CHECK(set(handle, "nthread", std::to_string(threads)));
  bst_ulong features = 0;
  HONE_CHECK(check(XGBoosterGetNumFeature(handle, &features)));
  if (features != width) {
    return fail(ErrorCode::invalid_argument, "trees over " + std::to_string(features) +
                                                 " features, not " + std::to_string(width));
  }
  return made;
}

Result<std::string> BoostedTrees::save() const {
  bst_ulong size = 0;
  const char* bytes = nullptr;  // XGBoost's, until the next call
  HONE_CHECK(
      check(XGBoosterSaveModelToBuffer(handle_.get(), R"({"format": "ubj"})", &size, &bytes)));
  return std::string(bytes, size);
}

Result<std::vector<float>> BoostedTrees::predict(const FeatureMatrix& matrix) const {
  constexpr const char* kPlain =
      R"({"type": 0, "training": false, "iteration_begin": 0, "iteration_end": 0,)"
      R"( "strict_shape": false})";
  const bst_ulong* shape = nullptr;
  bst_ulong dimensions = 0;
  const float* predicted = nullptr;  // XGBoost's, until the next call
  HONE_CHECK(check(XGBoosterPredictFromDMatrix(handle_.get(), matrix.handle(), kPlain, &shape,
                                               &dimensions, &predicted)));
  if (dimensions == 0 || shape[0] != matrix.rows()) {
    return fail(ErrorCode::internal, "XGBoost predicted another number of rows");
  }
  return std::vector<float>(predicted, predicted + matrix.rows());
}

}  // namespace hone
