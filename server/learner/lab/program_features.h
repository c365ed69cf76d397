// What a module looks like to a model: InstCount and Autophase, made independent of its size, and
// IR2Vec's embedding behind them where its vocabulary was given. Plain functions. Thread safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace hone {

inline constexpr std::size_t kInstCounts = 70;
inline constexpr std::size_t kAutophaseCounts = 56;
inline constexpr std::size_t kProgramFeatures = kInstCounts + kAutophaseCounts;
// Of the names and what they mean; a model of another version is not asked. Rows with IR2Vec behind
// the counts are a schema of their own.
inline constexpr int kFeatureVersion = 1;
inline constexpr int kFeatureVersionIr2Vec = 2;
// More numbers than any published vocabulary has.
inline constexpr std::size_t kMaxIr2Vec = 4'096;

// "InstCount.0" ... "Autophase.55", then "Ir2vec.0" ... as many as the vocabulary has (0: none).
std::vector<std::string> program_feature_names(std::size_t ir2vec = 0);

// ln((1 + count) / (1 + instructions)) of each count, but ln(1 + instructions) of the count of
// instructions itself (InstCount.0). Each argument has as many numbers as the observation of its
// name.
std::vector<double> program_features(std::span<const std::int64_t> inst_count,
                                     std::span<const std::int64_t> autophase);

// A module's embedding is the sum over its instructions: here their mean, x / (1 + instructions),
// of which size says nothing.
std::vector<double> ir2vec_features(std::span<const double> embedding, std::int64_t instructions);

}  // namespace hone
