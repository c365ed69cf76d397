// Rules that come in from outside, against the launcher's allow-list. Thread safe.
#pragma once

#include <string>
#include <vector>

#include "common/json/object_reader.h"
#include "common/policy/policy.h"

namespace hone {

// Notes every rule whose decision the launcher would refuse, by "<pointer>/<index>". A
// worker would find out too, but only after it has built the product.
void check_rules(const std::vector<Rule>& rules, const std::string& pointer, Problems& problems);

}  // namespace hone
