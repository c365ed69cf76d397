// What changed between two policies, rule by rule. Thread safe.
#pragma once

#include <string>

#include "common/policy/policy.h"

namespace hone {

// Lines "- old rule" and "+ new rule", and a line for each head field that differs among compiler
// and expiry. Empty if the two decide alike (sequence, dates and provenance do not count).
std::string print_policy_diff(const Policy& before, const Policy& after);

// One rule on one line: "lib/*.c [O3]  default<O3> -unroll-count=4".
std::string rule_line(const Rule& rule);

}  // namespace hone
