// What searches for sequences are made of: the actions of a major's action space as pipelines, and
// what the compiler itself runs, in pieces. Thread safe.
#pragma once

#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/search/sequence_search.h"

namespace hone {

// Passes, and behind them whole pipelines such as default<Oz> unless `passes_only`. unsupported for
// a major without an action table.
Result<std::vector<std::string>> search_actions(int llvm_major, bool passes_only);

// What -Oz runs, one pipeline for each node at the top of its text.
Result<Sequence> own_sequence(int llvm_major);

}  // namespace hone
