// A decision taken apart into what an effect can be learnt of. Thread safe.
#pragma once

#include <map>
#include <string>

#include "common/policy/policy.h"

namespace hone {

// By the part's name, how much of it the decision has:
//   "-name=value"     1 for each knob, but those that only restore what the flattened text loses
//   "pass NAME"       how many times more (or less) the pipeline runs the pass than the one it was
//                     made from, at most 2 either way
//   "pipeline TEXT"   1 for a pipeline that is not the compiler's own
//   "flattened"       1 for the text of the compiler's own pipeline, edited or not
// Empty for a plain decision.
std::map<std::string, double> parts_of(const Decision& decision, int llvm_major);

}  // namespace hone
