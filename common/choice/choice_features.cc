#include "common/choice/choice_features.h"

#include <algorithm>

namespace hone {
namespace {

// No module has as many; beyond it the product below might not fit.
constexpr std::int64_t kMaxCount = std::int64_t{1} << 40U;
constexpr std::int64_t kPer = 65536;

}  // namespace

ChoiceFeatures choice_features(std::span<const std::int64_t, kChoiceAutophase> autophase,
                               std::span<const std::int64_t, kChoiceInstCount> inst_count) {
  ChoiceFeatures features{};
  const auto rest = std::copy(autophase.begin(), autophase.end(), features.begin());
  std::copy(inst_count.begin(), inst_count.end(), rest);
  const std::int64_t instructions = std::clamp<std::int64_t>(inst_count[0], 1, kMaxCount);
  for (std::size_t i = 0; i < kChoiceCounts; ++i) {
    features[i] = std::clamp<std::int64_t>(features[i], 0, kMaxCount);
    features[kChoiceCounts + i] = features[i] * kPer / instructions;
  }
  return features;
}

std::string choice_feature_text(std::size_t feature) {
  const std::size_t count = feature % kChoiceCounts;
  std::string text = count < kChoiceAutophase
                         ? "Autophase " + std::to_string(count)
                         : "InstCount " + std::to_string(count - kChoiceAutophase);
  return feature < kChoiceCounts ? text : text + " per 65536";
}

}  // namespace hone
