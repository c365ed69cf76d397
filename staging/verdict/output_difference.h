// What two runs wrote: the same, or where do they first differ? Thread safe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/protocol/target_spec.h"
#include "staging/runner/written_output.h"

namespace hone {

// Where the outputs of a run first differ from those of the reference, in words of printable
// characters.
struct OutputDifference {
  std::string output;  // "standard output", "file 'sum.txt'"
  std::string detail;  // "line 3 (from byte 17): '0.26', not '0.25'", "it is missing"
};

// Both lists in the order in which a run gives them: streams, then files by name. Without a
// tolerance the hashes decide, and the texts are for the message only; with one they must be whole.
std::optional<OutputDifference> find_difference(const std::vector<WrittenOutput>& reference,
                                                const std::vector<WrittenOutput>& made,
                                                const std::optional<Tolerance>& tolerance);

}  // namespace hone
