#include "server/learner/proposing/changed_sources.h"

namespace hone {

SourceStates source_states(const std::vector<EffectiveDecision>& decisions) {
  SourceStates states;
  for (const EffectiveDecision& decision : decisions) {
    states[decision.source].insert(decision.state_id);
  }
  return states;
}

std::set<std::string> changed_sources(const SourceStates& now, const SourceStates& before) {
  std::set<std::string> changed;
  for (const auto& [source, states] : now) {
    const auto earlier = before.find(source);
    if (earlier == before.end() || earlier->second != states || states.contains("")) {
      changed.insert(source);
    }
  }
  return changed;
}

}  // namespace hone
