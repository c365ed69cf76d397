#include "server/learner/lab/step_actions.h"

#include <set>

#include "common/pipelines/action_space.h"

namespace hone {

Result<std::vector<std::string>> step_actions(const Portfolio& portfolio) {
  HONE_TRY(const ActionSpace space, ActionSpace::create(portfolio.llvm_major));
  std::vector<std::string> actions;
  std::set<std::string> seen;
  const auto add = [&](const std::string& pipeline) {
    if (seen.insert(pipeline).second) {
      actions.push_back(pipeline);
    }
  };
  for (const Action& whole : space.whole_pipelines()) {
    add(whole.pipeline);
  }
  for (const PortfolioMember& member : portfolio.members) {
    for (const std::string& pipeline : member.pipelines) {
      add(pipeline);
    }
  }
  return actions;
}

}  // namespace hone
