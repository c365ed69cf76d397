// Drawing single passes and putting them where they may stand: the parts that edits are made of.
//
// Thread safe; the generator is the caller's.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/random.h"
#include "common/pipelines/action_table.h"
#include "common/pipelines/forest.h"
#include "common/pipelines/successor_weights.h"

namespace hone {

// The level at which the children of an adaptor stand; module for a name that is none.
PassLevel level_within(std::string_view adaptor);

// Whether a pass can be put among nodes of this level, within adaptors of its own if need be.
bool can_enter(PassLevel body, const PassEntry& entry);

// The pass inside the adaptors that it needs among nodes of level `body`: function(loop(indvars))
// at module level, loop(indvars) in a function. can_enter() must hold.
PipelineNode wrapped(PipelineNode pass, PassLevel level, PassLevel body);

// Allowed parameters: one of the whole texts, all alike; or every option with probability 1/4, a
// flag positive or negative alike, a number from the powers of two in its range and its ends.
std::optional<std::string> draw_parameters(const PassEntry& entry, Random& random);

// The bare pass with drawn parameters.
PipelineNode draw_pass(const PassEntry& entry, Random& random);

// The searchable rows of a major.
std::vector<const PassEntry*> searchable_passes(int llvm_major);

// One of these rows (at least one), by the weights as the successor of the pass `before` (empty: at
// the beginning), or without weights (null) all alike.
const PassEntry* draw_entry(const std::vector<const PassEntry*>& entries, std::string_view before,
                            const SuccessorWeights* successors, Random& random);

// Puts always-inline in front if nothing in the forest inlines. Functions marked always_inline must
// be inlined even so: some (gnu_inline) have no other definition that the linker could find.
void ensure_inlining(Forest& forest);

}  // namespace hone
