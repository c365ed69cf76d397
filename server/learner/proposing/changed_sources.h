// Which of a product's sources are not what they were: by the names of the modules that compiling
// them gives before any pass runs (state_id), so that a changed header counts where it matters and
// a changed comment nowhere. Pure. Thread safe.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/protocol/attempt_result.h"

namespace hone {

// state_ids by source, of one build. A source that any object of is not known for has "" among
// them.
using SourceStates = std::map<std::string, std::set<std::string>>;
SourceStates source_states(const std::vector<EffectiveDecision>& decisions);

// Those of `now` that are new, have other modules than before, or are not known on either side.
std::set<std::string> changed_sources(const SourceStates& now, const SourceStates& before);

}  // namespace hone
