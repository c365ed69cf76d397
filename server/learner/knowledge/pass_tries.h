// What single passes brought in sequences that were evaluated: of two sequences that differ by one
// pass more, the gain of that pass where it stands. Everything around it is equal, so that the
// difference is its doing.
//
// Only sequences that are good without it count: a search goes on from such. Else a pass that
// repairs what another one spoiled (sroa behind reg2mem), or without which nothing works at all
// (default<Oz>), would look best of all. Plain values. Thread safe.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "common/search/evaluation_log.h"

namespace hone {

struct PassTry {
  std::string before;  // the pass directly in front of it; "": it was the first
  std::string pass;    // by its name (pass_name())
  double gain = 0;     // ln(cost without it / cost with it); 0 where it made the program fail
};

// Of one program's evaluations, all by the same cost; sequences of more than `most_cost` without
// the pass are left out (infinity: none). Pipelines of several passes are no pass, but may stand
// around one. Of equal neighbours the last one is taken.
std::vector<PassTry> pass_tries(std::span<const EvaluatedSequence> tried, double most_cost);

}  // namespace hone
