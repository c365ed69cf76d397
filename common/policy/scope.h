// Which of a product's files a candidate's rules may touch, as rules that stand before them. One
// place for the worker that measures and for the policy that is published, so that what ships is
// what was measured. Thread safe.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "common/policy/policy.h"

namespace hone {

// Plain rules, of every level: one for each glob of `exclude`, then one for each of `sources`
// (root-relative) that matches no glob of `include`. The first matching rule governs, so these
// keep any rule after them away from those files.
std::vector<Rule> plain_rules_outside(const std::vector<std::string>& include,
                                      const std::vector<std::string>& exclude,
                                      const std::set<std::string>& sources);

}  // namespace hone
