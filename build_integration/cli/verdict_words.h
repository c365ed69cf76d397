// Verdicts and values as people read them, by what was measured. Thread safe.
#pragma once

#include <string>
#include <string_view>

#include "common/protocol/job.h"
#include "common/protocol/values.h"

namespace hone {

// The verdict as on the wire, but that "faster" and "slower" are about time alone: a size is
// "smaller" or "larger", instructions and cycles are "fewer" or "more", energy is "less" or "more",
// what a benchmark prints "better" or "worse".
std::string verdict_word(Verdict verdict, Metric metric);

// The job's state; "late" for one that is dead because its deadline passed: it was not measured,
// and did not fail.
std::string state_word(const JobView& job);

// A reason's first line; where it only leads to what a program said ("..., saying:"), with the
// first line of that which tells of an error, else the last.
std::string reason_line(std::string_view reason);

// "12.30 ms", "1.234 s", "4.2 MiB", "1,234,567 bytes", "1,234,567", "2.310 J"; what a benchmark
// prints as it is.
std::string value_text(Metric metric, double value);

}  // namespace hone
