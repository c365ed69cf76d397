#include "common/protocol/rules.h"

#include <nlohmann/json.hpp>

#include "common/policy/policy_json.h"

namespace hone {

Json rules_to_json(const std::vector<Rule>& rules) {
  Json list = Json::array();
  for (const Rule& rule : rules) {
    list.push_back(rule_to_json(rule));
  }
  return list;
}

std::vector<Rule> read_rules(ObjectReader& reader, std::string_view key) {
  std::vector<Rule> rules;
  reader.each(key, kMaxRules, [&rules](ObjectReader& item) { rules.push_back(read_rule(item)); });
  return rules;
}

}  // namespace hone
