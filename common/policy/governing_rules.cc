#include "common/policy/governing_rules.h"

#include <cstdint>

#include "common/base/text.h"
#include "common/policy/level.h"

namespace hone {

std::vector<Rule> governing_rules(const Policy& policy, std::string_view source) {
  std::vector<Rule> rules;
  std::uint32_t decided = 0;  // levels at which an earlier rule always matches
  for (const Rule& rule : policy.rules) {
    if (!matches_glob(rule.source, source)) {
      continue;
    }
    const auto is_open = [decided](const std::string& level) {
      return (level_bit(level).value_or(0) & ~decided) != 0;
    };
    Rule own = rule;
    own.source = source;
    std::erase_if(own.levels, [&](const std::string& level) { return !is_open(level); });
    if (own.levels.empty()) {
      continue;
    }
    if (own.output.empty() && own.option_fingerprint.empty()) {
      for (const std::string& level : own.levels) {
        decided |= level_bit(level).value_or(0);
      }
    }
    rules.push_back(std::move(own));
  }
  while (!rules.empty() && is_plain(rules.back().decision)) {
    rules.pop_back();
  }
  return rules;
}

}  // namespace hone
