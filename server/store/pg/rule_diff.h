// What two lists of rules differ in. A rule is the same where its scope is: source, output, options
// and levels.
#pragma once

#include "common/json/document.h"

namespace hone {

// {"same":N,"added":[...],"removed":[...],"changed":[{"from":...,"to":...}]}: rules of `to` that
// `from` has not, of `from` that `to` has not, and those of one scope that decide otherwise.
Json rule_diff(const Json& from, const Json& to);

// How many rules of the one the other has not, both ways.
std::size_t rule_distance(const Json& from, const Json& to);

}  // namespace hone
