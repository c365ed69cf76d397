#include "common/policy/scope.h"

#include <algorithm>

#include "common/base/text.h"

namespace hone {
namespace {

Rule plain_rule(const std::string& source) {
  Rule rule;
  rule.source = source;
  rule.levels = {"O1", "O2", "O3", "Os", "Oz"};
  return rule;
}

}  // namespace

std::vector<Rule> plain_rules_outside(const std::vector<std::string>& include,
                                      const std::vector<std::string>& exclude,
                                      const std::set<std::string>& sources) {
  std::vector<Rule> rules;
  for (const std::string& glob : exclude) {
    rules.push_back(plain_rule(glob));
  }
  for (const std::string& source : sources) {
    const bool included = std::any_of(include.begin(), include.end(), [&](const std::string& glob) {
      return matches_glob(glob, source);
    });
    if (!included) {
      rules.push_back(plain_rule(source));
    }
  }
  return rules;
}

}  // namespace hone
