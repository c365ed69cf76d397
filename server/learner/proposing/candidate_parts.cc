#include "server/learner/proposing/candidate_parts.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "common/pipelines/forest.h"
#include "common/pipelines/o3_pipeline.h"

namespace hone {
namespace {

constexpr double kMostOfAPass = 2;

void count_passes_of(const std::vector<PipelineNode>& nodes, double sign,
                     std::map<std::string, double>& counts) {
  for (const PipelineNode& node : nodes) {
    if (node.nested) {
      count_passes_of(node.children, sign, counts);
    } else {
      counts[node.name] += sign;
    }
  }
}

bool is_default_node(const PipelineNode& node) {
  return node.name == "default";
}

// A text without default<...> is taken for an edit of the flattened pipeline whose length is closer
// to its own.
void add_pipeline(const std::string& text, int llvm_major, std::map<std::string, double>& parts) {
  const Result<Forest> forest = parse_pipeline(text);
  parts["pipeline " + text] = 1;
  if (!forest) {
    return;  // the store holds none such; if it did, it would be a part of its own all the same
  }
  std::map<std::string, double> passes;
  count_passes_of(forest->nodes, 1, passes);
  if (std::ranges::none_of(forest->nodes, is_default_node)) {
    parts["flattened"] = 1;
    const std::size_t length = count_passes(*forest);
    const auto distance = [&](const Forest& base) {
      const std::size_t other = count_passes(base);
      return length > other ? length - other : other - length;
    };
    const Result<Forest> o3 = parse_pipeline(o3_pipeline(llvm_major));
    const Result<Forest> oz = parse_pipeline(oz_pipeline(llvm_major));
    if (o3 && oz) {
      count_passes_of((distance(*o3) <= distance(*oz) ? *o3 : *oz).nodes, -1, passes);
    }
  }
  for (const auto& [name, count] : passes) {
    if (count != 0 && name != "default") {
      parts["pass " + name] = std::clamp(count, -kMostOfAPass, kMostOfAPass);
    }
  }
}

bool only_restores(const Knob& knob, int llvm_major) {
  return std::ranges::any_of(restoring_knobs(llvm_major), [&](const KnobValue& value) {
    return value.name == knob.name && value.value == knob.value;
  });
}

}  // namespace

std::map<std::string, double> parts_of(const Decision& decision, int llvm_major) {
  std::map<std::string, double> parts;
  const bool own_pipeline = is_default(decision.pipeline);
  if (!own_pipeline) {
    add_pipeline(decision.pipeline, llvm_major, parts);
  }
  for (const Knob& knob : decision.knobs) {
    if (own_pipeline || !only_restores(knob, llvm_major)) {
      parts["-" + knob.name + "=" + knob.value] = 1;
    }
  }
  return parts;
}

}  // namespace hone
