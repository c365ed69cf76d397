// The candidate set that `hone tune` proposes: the seeded search's, for one target. Thread safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/protocol/candidate.h"
#include "common/protocol/target_spec.h"
#include "common/protocol/values.h"

namespace hone {

// The sources that per-file candidates are made for: what tune.include names without wildcards,
// and, where the product's folder is here (`folder` not empty), the C and C++ files that its other
// patterns match, without what tune.exclude matches. "*" names no hot file, so it adds none. In the
// order of the patterns, then by name.
std::vector<std::string> sources_to_tune(const TuneSpec& tune, const std::filesystem::path& folder);

// `count` candidates. Baseline Oz is a search for size, everything else one for time; rules against
// the owner's own command line hold at -O2 and -O3. Errors are those of the search.
Result<CandidateSet> first_candidates(const TargetSpec& target, const std::filesystem::path& folder,
                                      BaselineKind baseline, std::size_t count, std::uint64_t seed);

}  // namespace hone
