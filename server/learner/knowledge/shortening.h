// Takes out of a sequence what it gains nothing by: fewer passes, the same gain, less time to
// compile. Not thread safe.
#pragma once

#include <vector>

#include "common/base/result.h"
#include "server/learner/lab/lab_program.h"

namespace hone {

// `chosen` are the sequences that `sequence` is one of: it is held to its gain on the programs for
// which it is the best of them (the heaviest few). Ever smaller pieces are left out, from the end,
// as in delta debugging (Zeller and Hildebrandt, TSE 28(2), 2002), for as long as no more than
// kShorteningLoss of the mean gain is lost; the last pipeline stays. Errors of the evaluation.
inline constexpr double kShorteningLoss = 1e-4;
Result<Sequence> shorten(const Sequence& sequence, const std::vector<Sequence>& chosen,
                         std::vector<LabProgram>& programs, const std::vector<double>& weights);

}  // namespace hone
