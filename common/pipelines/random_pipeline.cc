// A pipeline of passes that are drawn one behind the other; see mutation.h.
#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "common/pipelines/action_table.h"
#include "common/pipelines/growth_limits.h"
#include "common/pipelines/mutation.h"
#include "common/pipelines/pass_sampler.h"

namespace hone {

Mutation random_pipeline(int llvm_major, std::size_t passes, Random& random,
                         const SuccessorWeights* successors, std::string_view before) {
  const std::vector<const PassEntry*> entries = searchable_passes(llvm_major);
  Forest forest;
  if (entries.empty()) {
    return {std::move(forest), "no table"};
  }
  const std::size_t count = std::clamp<std::size_t>(passes, 1, kGrowthLimitPasses);
  std::string last(before);
  for (std::size_t i = 0; i < count; ++i) {
    const PassEntry& entry = *draw_entry(entries, last, successors, random);
    last = entry.name;
    PipelineNode node = wrapped(draw_pass(entry, random), entry.level, PassLevel::module);
    // Into the adaptors at the end, as far as these are the ones it needs.
    std::vector<PipelineNode>* body = &forest.nodes;
    while (node.nested && !body->empty() && body->back().nested && body->back().name == node.name) {
      body = &body->back().children;
      PipelineNode inner = std::move(node.children.front());
      node = std::move(inner);
    }
    body->push_back(std::move(node));
  }
  ensure_inlining(forest);
  return {std::move(forest), "random pipeline of " + std::to_string(count) + " passes"};
}

}  // namespace hone
