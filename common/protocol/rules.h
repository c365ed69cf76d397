// Policy rules inside our own messages: the same shape as in a policy document.
#pragma once

#include <vector>

#include "common/json/object_reader.h"
#include "common/policy/policy.h"

namespace hone {

inline constexpr std::size_t kMaxRules = 10000;

Json rules_to_json(const std::vector<Rule>& rules);
// Reads the list under `key`; each rule is checked for shape, not against the allow-list.
std::vector<Rule> read_rules(ObjectReader& reader, std::string_view key);

}  // namespace hone
