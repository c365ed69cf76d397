#include "server/learner/proposing/decision_changes.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "common/pipelines/forest.h"
#include "common/pipelines/mutation.h"
#include "common/pipelines/o3_pipeline.h"

namespace hone {
namespace {

constexpr std::size_t kMostEditsAtOnce = 2;

// The text that a decision's pipeline starts from.
std::optional<Decision> flattened(const Decision& decision, SearchObjective objective,
                                  int llvm_major) {
  if (!is_default(decision.pipeline)) {
    return decision;
  }
  const bool size = objective == SearchObjective::size;
  Decision flat = decision;
  flat.pipeline = size ? oz_pipeline(llvm_major) : o3_pipeline(llvm_major);
  if (flat.pipeline.empty()) {
    return std::nullopt;
  }
  if (!size) {
    for (const KnobValue& value : restoring_knobs(llvm_major)) {
      if (std::ranges::find(flat.knobs, value.name, &Knob::name) == flat.knobs.end()) {
        flat.knobs.push_back({std::string(value.name), std::string(value.value)});
      }
    }
  }
  return flat;
}

}  // namespace

void set_knob(Decision& decision, std::string_view name, std::string_view value) {
  const auto found = std::ranges::find(decision.knobs, name, &Knob::name);
  if (found == decision.knobs.end()) {
    decision.knobs.push_back({std::string(name), std::string(value)});
  } else {
    found->value = value;
  }
}

Decision merged(const Decision& base, const Decision& more) {
  if (is_plain(base) || is_plain(more)) {
    return is_plain(base) ? more : base;
  }
  Decision both = base;
  if (is_default(both.pipeline)) {
    both.pipeline = more.pipeline;
  }
  for (const Knob& knob : more.knobs) {
    if (std::ranges::find(both.knobs, knob.name, &Knob::name) == both.knobs.end()) {
      both.knobs.push_back(knob);
    }
  }
  return both;
}

std::string edit_pipeline(Decision& decision, SearchObjective objective, int llvm_major,
                          Random& random, const SuccessorWeights* successors) {
  std::optional<Decision> flat = flattened(decision, objective, llvm_major);
  const Result<Forest> forest = parse_pipeline(flat ? flat->pipeline : "");
  if (!flat || !forest || forest->nodes.empty()) {
    return "";
  }
  const Mutation mutation =
      mutate(*forest, llvm_major, 1 + random.below(kMostEditsAtOnce), random, successors);
  flat->pipeline = print(mutation.forest);
  decision = *std::move(flat);
  return mutation.description;
}

}  // namespace hone
