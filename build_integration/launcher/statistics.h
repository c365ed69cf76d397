// `hone-cc --stats`: what the log of this build tree adds up to, for people. Thread safe.
#pragma once

#include <string>
#include <string_view>

namespace hone {

// Counts of tuned, plain and failed objects, one line a reason, and the CPU time of attempts that
// came to nothing. `log` is the text of compiles.ndjson; an object that was compiled twice counts
// twice, lines that are cut off do not count.
std::string print_statistics(std::string_view log);

}  // namespace hone
