// The part of a policy that counts for one source. Thread safe.
#pragma once

#include <string_view>
#include <vector>

#include "common/policy/policy.h"

namespace hone {

// The rules that can govern a compile of `source` (as rules name it), in order and with the source
// as their pattern. Left out is what no compile reaches, since earlier rules decide it at every
// level that a rule names, and plain rules at the end, which say no more than no rule does.
std::vector<Rule> governing_rules(const Policy& policy, std::string_view source);

}  // namespace hone
