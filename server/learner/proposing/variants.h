// What could be tried next: candidates made of those that were tried, and of the tables.
//
// From every parent (the most promising trials, and the plain compiler), all files together or one:
//   knob       a setting more, another value of one it has, or one less
//   union      what two parents change, together; where they differ the first one's
//   narrow     what a parent does everywhere, for one file or the hot ones only; or everywhere but
//              there
//   edit       one or two random edits of its pipeline
//   tail       the compiler's own pipeline and up to four random passes behind it
// Settings come with every value of the knob table, so that whatever was not tried yet stays in
// reach. A function of its input and the stream of the generator. Thread safe.
#pragma once

#include <cstddef>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "common/base/random.h"
#include "common/pipelines/successor_weights.h"
#include "common/protocol/source_profile.h"
#include "common/search/seeded_candidates.h"
#include "server/learner/proposing/assignment.h"

namespace hone {

struct VariantSpec {
  int llvm_major = 19;
  SearchObjective objective = SearchObjective::time;
  std::vector<std::string> files;  // that may be treated apart, the hottest first; may be empty
  std::vector<FileShare> hot;      // where the time goes, if that is known
  std::size_t limit = 600;         // so many variants at most
  std::shared_ptr<const SuccessorWeights> successors;  // of edits and tails; null: passes alike
};

struct Variant {
  Assignment assignment;
  std::string origin;  // "knob", "union", ...
  std::string note;    // for people
};

// Distinct, none of them plain, in `tried` (keys) or made of a parent that is not valid. Parents
// come best first; the first ones are given most room.
std::vector<Variant> make_variants(const VariantSpec& spec, std::span<const Assignment> parents,
                                   const std::set<std::string>& tried, Random& random);

// The parent with one thing less, each (origin "ablation"): a setting, a pipeline of its own, a
// file that is treated apart, what all other files get. They say which of its parts matter, and
// where one builds the same program, that the shorter one will do.
std::vector<Variant> make_ablations(const VariantSpec& spec, const Assignment& parent,
                                    const std::set<std::string>& tried);

}  // namespace hone
