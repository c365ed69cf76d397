// What a module looks like to a model: InstCount and Autophase, made independent of its size. Plain
// functions. Thread safe.
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
// Of the names and what they mean; a model of another version is not asked.
inline constexpr int kFeatureVersion = 1;

// "InstCount.0" ... "Autophase.55".
std::vector<std::string> program_feature_names();

// ln((1 + count) / (1 + instructions)) of each count, but ln(1 + instructions) of the count of
// instructions itself (InstCount.0). Each argument has as many numbers as the observation of its
// name.
std::vector<double> program_features(std::span<const std::int64_t> inst_count,
                                     std::span<const std::int64_t> autophase);

}  // namespace hone
