// A child of two pipelines, made by a cut through both; see mutation.h.
#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/pipelines/action_table.h"
#include "common/pipelines/growth_limits.h"
#include "common/pipelines/mutation.h"
#include "common/pipelines/pass_sampler.h"

namespace hone {
namespace {

struct Pair {
  std::size_t left = 0;
  std::size_t right = 0;
};

// Adaptors of both lists with the same name and parameters, the k-th of one with the k-th of the
// other.
std::vector<Pair> matching_adaptors(const std::vector<PipelineNode>& left,
                                    const std::vector<PipelineNode>& right) {
  std::vector<Pair> pairs;
  std::vector<bool> taken(right.size(), false);
  for (std::size_t i = 0; i < left.size(); ++i) {
    for (std::size_t j = 0; j < right.size(); ++j) {
      if (!taken[j] && left[i].nested && right[j].nested && left[i].name == right[j].name &&
          left[i].parameters == right[j].parameters) {
        taken[j] = true;
        pairs.push_back({i, j});
        break;
      }
    }
  }
  return pairs;
}

std::vector<PipelineNode> cross(const std::vector<PipelineNode>& left,
                                const std::vector<PipelineNode>& right, Random& random,
                                const SuccessorWeights* successors, std::string& path) {
  const std::vector<Pair> pairs = matching_adaptors(left, right);
  if (!pairs.empty() && random.chance(1, 2)) {
    const Pair pair = pairs[random.below(pairs.size())];
    path += (path.empty() ? "" : "/") + left[pair.left].name;
    std::vector<PipelineNode> child = left;
    child[pair.left].children =
        cross(left[pair.left].children, right[pair.right].children, random, successors, path);
    return child;
  }
  // A cut at the same fraction of both, since pipelines of one ancestor have the same stages.
  const auto across = [&](std::size_t cut) {
    return left.empty() ? 0 : cut * right.size() / left.size();
  };
  std::size_t cut = random.below(left.size() + 1);
  if (successors != nullptr) {
    const auto joint = [&](std::size_t at) {
      return successors->weight(last_pass(std::span(left).first(at)),
                                first_pass(std::span(right).subspan(across(at))));
    };
    const std::size_t second = random.below(left.size() + 1);
    cut = joint(second) > joint(cut) ? second : cut;
  }
  const std::size_t other = across(cut);
  std::vector<PipelineNode> child(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(cut));
  child.insert(child.end(), right.begin() + static_cast<std::ptrdiff_t>(other), right.end());
  path += " at " + std::to_string(cut) + " of " + std::to_string(left.size());
  return child;
}

bool is_default_node(const PipelineNode& node) {
  return node.name == "default";
}

}  // namespace

Mutation crossover(const Forest& left, const Forest& right, int llvm_major, Random& random,
                   const SuccessorWeights* successors) {
  std::string path;
  Forest child;
  child.nodes = cross(left.nodes, right.nodes, random, successors, path);
  child = canonical(std::move(child));
  const bool fits = is_within_growth_limits(child) &&
                    std::ranges::count_if(child.nodes, is_default_node) <= kMaxDefaultNodes;
  if (child.nodes.empty() || !fits || !check_pipeline(child, llvm_major)) {
    return {canonical(left), "crossover gave nothing that fits: the first parent"};
  }
  ensure_inlining(child);
  return {std::move(child), "crossover " + path};
}

}  // namespace hone
