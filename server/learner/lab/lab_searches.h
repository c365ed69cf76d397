// The searches that a training program is given to, one after the other, because none is the best
// everywhere: from what -Oz runs, from good starts at once, and over whole forests.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/base/result.h"
#include "common/search/sequence_search.h"

namespace hone {

Result<std::vector<std::unique_ptr<SequenceSearch>>> lab_searches(std::uint64_t seed);

}  // namespace hone
