#include "server/api/rule_check.h"

#include "common/policy/allow_list.h"

namespace hone {

void check_rules(const std::vector<Rule>& rules, const std::string& pointer, Problems& problems) {
  const CompilerScope compiler;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const Result<void> allowed = check_decision(rules[i].decision, compiler.family, compiler.major);
    if (!allowed.has_value()) {
      problems.add(pointer + "/" + std::to_string(i), allowed.error().message);
    }
  }
}

}  // namespace hone
