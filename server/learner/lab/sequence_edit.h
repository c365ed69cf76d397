// One edit of a sequence: what rows for trees are made by, and what a search that asks such trees
// may do. Plain functions. Thread safe; the generator is the caller's.
#pragma once

#include <string>
#include <vector>

#include "common/base/random.h"
#include "common/search/sequence_search.h"

namespace hone {

// One of the actions (at least one) inserted, left out or put in another's place, at or behind
// `cut`, which is at most the sequence's length; where nothing could be left out or replaced,
// inserted.
Sequence edited(Sequence sequence, std::size_t cut, const std::vector<std::string>& actions,
                Random& random);

// How often each of the actions is in the sequence: what trees see of it.
std::vector<float> taken(const Sequence& sequence, const std::vector<std::string>& actions);

}  // namespace hone
