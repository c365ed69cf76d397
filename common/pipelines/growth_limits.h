// How far changes let a pipeline grow: past half of what one may be it only shrinks.
#pragma once

#include <cstddef>

#include "common/pipelines/forest.h"

namespace hone {

inline constexpr std::size_t kGrowthLimitBytes = kMaxPipelineBytes / 2;
inline constexpr std::size_t kGrowthLimitPasses = kMaxPipelineNodes / 8;

inline bool is_within_growth_limits(const Forest& forest) {
  return print(forest).size() <= kGrowthLimitBytes && count_passes(forest) <= kGrowthLimitPasses;
}

}  // namespace hone
