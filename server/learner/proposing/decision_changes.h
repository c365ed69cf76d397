// What can be done to one decision. Functions of their input. Thread safe.
#pragma once

#include <string>
#include <string_view>

#include "common/base/random.h"
#include "common/pipelines/successor_weights.h"
#include "common/policy/policy.h"
#include "common/search/seeded_candidates.h"

namespace hone {

void set_knob(Decision& decision, std::string_view name, std::string_view value);

// What `more` changes, on top of `base`; where they differ, base's.
Decision merged(const Decision& base, const Decision& more);

// Edits the pipeline of a decision that is not plain at one or two random places; the compiler's
// own is flattened first; passes are drawn by `successors`, or all alike without. What was done,
// for people, or nothing where there is no text to edit.
std::string edit_pipeline(Decision& decision, SearchObjective objective, int llvm_major,
                          Random& random, const SuccessorWeights* successors);

}  // namespace hone
