// Verdicts and values as people read them, by what was measured. Thread safe.
#pragma once

#include <string>

#include "common/protocol/values.h"

namespace hone {

// The verdict as on the wire, but that "faster" and "slower" are about time alone: a size is
// "smaller" or "larger", instructions and cycles are "fewer" or "more", energy is "less" or "more",
// what a benchmark prints "better" or "worse".
std::string verdict_word(Verdict verdict, Metric metric);

// "12.30 ms", "1.234 s", "4.2 MiB", "1,234,567 bytes", "1,234,567", "2.310 J"; what a benchmark
// prints as it is.
std::string value_text(Metric metric, double value);

}  // namespace hone
