// The numbers by which a choice is made (choice_model.h): what a module looks like before any pass.
// Whole numbers only, so that every machine chooses alike. Nothing but the standard library: the
// pass plugin holds this too. Thread safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace hone {

// Autophase's and InstCount's numbers (engine/features), and then all of them once more per 65536
// instructions, rounded down. A change of their meaning is another schema.
inline constexpr int kChoiceSchema = 1;
inline constexpr std::size_t kChoiceAutophase = 56;
inline constexpr std::size_t kChoiceInstCount = 70;
inline constexpr std::size_t kChoiceCounts = kChoiceAutophase + kChoiceInstCount;
inline constexpr std::size_t kChoiceFeatureCount = 2 * kChoiceCounts;
using ChoiceFeatures = std::array<std::int64_t, kChoiceFeatureCount>;

// inst_count[0] is the number of instructions.
ChoiceFeatures choice_features(std::span<const std::int64_t, kChoiceAutophase> autophase,
                               std::span<const std::int64_t, kChoiceInstCount> inst_count);

// "Autophase 3", "InstCount 0 per 65536": for people.
std::string choice_feature_text(std::size_t feature);

}  // namespace hone
