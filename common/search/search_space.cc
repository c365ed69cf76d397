#include "common/search/search_space.h"

#include "common/pipelines/action_space.h"
#include "common/pipelines/forest.h"
#include "common/pipelines/o3_pipeline.h"

namespace hone {

Result<std::vector<std::string>> search_actions(int llvm_major, bool passes_only) {
  HONE_TRY(const ActionSpace space, ActionSpace::create(llvm_major));
  std::vector<std::string> actions;
  for (const Action& action : space.actions()) {
    actions.push_back(action.pipeline);
  }
  if (!passes_only) {
    for (const Action& whole : space.whole_pipelines()) {
      actions.push_back(whole.pipeline);
    }
  }
  return actions;
}

Result<Sequence> own_sequence(int llvm_major) {
  HONE_TRY(const Forest forest, parse_pipeline(oz_pipeline(llvm_major)));
  Sequence sequence;
  for (const PipelineNode& node : forest.nodes) {
    sequence.push_back(print(node));
  }
  return sequence;
}

}  // namespace hone
