#include "common/pipelines/pipeline_places.h"

#include <algorithm>
#include <span>
#include <utility>

#include "common/pipelines/pass_sampler.h"
#include "common/pipelines/successor_weights.h"

namespace hone {
namespace {

constexpr std::size_t kAdaptorsOfAPass = 2;  // function(loop(x))

void collect_bodies(const PipelineBody& body, std::vector<PipelineBody>& bodies) {
  bodies.push_back(body);
  for (PipelineNode& node : *body.nodes) {
    if (node.nested) {
      collect_bodies({&node.children, level_within(node.name), body.depth + 1}, bodies);
    }
  }
}

// All bodies, outer ones first, in the order of the text.
std::vector<PipelineBody> bodies_of(Forest& forest) {
  std::vector<PipelineBody> bodies;
  collect_bodies({&forest.nodes, PassLevel::module, 1}, bodies);
  return bodies;
}

bool is_searchable(const PipelineNode& node, PassLevel level, int llvm_major) {
  const PassEntry* const entry = node.nested ? nullptr : find_pass(node.name, level, llvm_major);
  return entry != nullptr && entry->safety == PassSafety::searchable;
}

// Searchable itself, or an adaptor with nothing else inside.
bool is_movable(const PipelineNode& node, PassLevel level, int llvm_major) {
  if (!node.nested) {
    return is_searchable(node, level, llvm_major);
  }
  return std::ranges::all_of(node.children, [&](const PipelineNode& child) {
    return is_movable(child, level_within(node.name), llvm_major);
  });
}

}  // namespace

std::vector<PipelinePlace> searchable_places(Forest& forest, int llvm_major) {
  std::vector<PipelinePlace> places;
  for (const PipelineBody& body : bodies_of(forest)) {
    for (std::size_t i = 0; i < body.nodes->size(); ++i) {
      if (is_searchable((*body.nodes)[i], body.level, llvm_major)) {
        places.push_back({body, i});
      }
    }
  }
  return places;
}

std::vector<PipelinePlace> swappable_places(Forest& forest, int llvm_major) {
  std::vector<PipelinePlace> places;
  for (const PipelineBody& body : bodies_of(forest)) {
    for (std::size_t i = 0; i + 1 < body.nodes->size(); ++i) {
      if (is_movable((*body.nodes)[i], body.level, llvm_major) &&
          is_movable((*body.nodes)[i + 1], body.level, llvm_major)) {
        places.push_back({body, i});
      }
    }
  }
  return places;
}

std::vector<PipelinePlace> gaps_of(Forest& forest, std::optional<PassLevel> only_level) {
  std::vector<PipelinePlace> gaps;
  for (const PipelineBody& body : bodies_of(forest)) {
    if (body.depth + kAdaptorsOfAPass > kMaxPipelineDepth ||
        (only_level && body.level != *only_level)) {
      continue;
    }
    for (std::size_t i = 0; i <= body.nodes->size(); ++i) {
      gaps.push_back({body, i});
    }
  }
  return gaps;
}

void put_in(const PipelinePlace& gap, PipelineNode node) {
  gap.body.nodes->insert(gap.body.nodes->begin() + static_cast<std::ptrdiff_t>(gap.index),
                         std::move(node));
}

std::string pass_before(const PipelinePlace& place) {
  return last_pass(std::span(*place.body.nodes).first(place.index));
}

std::string describe_gap(const PipelinePlace& gap) {
  if (gap.body.nodes->empty()) {
    return "alone";
  }
  const PipelineNode& neighbour = (*gap.body.nodes)[gap.index == 0 ? 0 : gap.index - 1];
  return (gap.index == 0 ? "before " : "after ") + brief_text(neighbour) + " in " +
         std::string(to_string(gap.body.level));
}

// An adaptor with much inside would drown the step that touches it.
std::string brief_text(const PipelineNode& node) {
  return node.nested ? node.name + "(...)" : print(node);
}

}  // namespace hone
