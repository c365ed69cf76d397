#include "server/learner/lab/program_features.h"

#include <cmath>

namespace hone {

std::vector<std::string> program_feature_names(std::size_t ir2vec) {
  std::vector<std::string> names;
  names.reserve(kProgramFeatures + ir2vec);
  for (std::size_t i = 0; i < kInstCounts; ++i) {
    names.push_back("InstCount." + std::to_string(i));
  }
  for (std::size_t i = 0; i < kAutophaseCounts; ++i) {
    names.push_back("Autophase." + std::to_string(i));
  }
  for (std::size_t i = 0; i < ir2vec; ++i) {
    names.push_back("Ir2vec." + std::to_string(i));
  }
  return names;
}

std::vector<double> program_features(std::span<const std::int64_t> inst_count,
                                     std::span<const std::int64_t> autophase) {
  const auto size = std::log1p(static_cast<double>(inst_count[0]));
  std::vector<double> features;
  features.reserve(kProgramFeatures);
  for (const std::span<const std::int64_t> counts : {inst_count, autophase}) {
    for (const std::int64_t count : counts) {
      features.push_back(std::log1p(static_cast<double>(count)) - size);
    }
  }
  features[0] = size;
  return features;
}

std::vector<double> ir2vec_features(std::span<const double> embedding, std::int64_t instructions) {
  std::vector<double> features(embedding.begin(), embedding.end());
  for (double& feature : features) {
    feature /= 1 + static_cast<double>(instructions);
  }
  return features;
}

}  // namespace hone
