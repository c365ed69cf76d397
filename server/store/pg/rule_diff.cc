#include "server/store/pg/rule_diff.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include <nlohmann/json.hpp>

namespace hone {
namespace {

std::string scope_of(const Json& rule) {
  Json scope = Json::array();
  for (const char* key : {"source", "output", "options", "levels"}) {
    const auto found = rule.find(key);
    scope.push_back(found == rule.end() ? Json() : *found);
  }
  return dump_json(scope);
}

// Rules of one scope in their order: the first that matches a compile governs it.
std::map<std::string, std::vector<const Json*>> by_scope(const Json& rules) {
  std::map<std::string, std::vector<const Json*>> scopes;
  for (const Json& rule : rules) {
    scopes[scope_of(rule)].push_back(&rule);
  }
  return scopes;
}

std::multiset<std::string> texts(const Json& rules) {
  std::multiset<std::string> all;
  for (const Json& rule : rules) {
    all.insert(dump_json(rule));
  }
  return all;
}

}  // namespace

Json rule_diff(const Json& from, const Json& to) {
  Json diff{{"same", 0},
            {"added", Json::array()},
            {"removed", Json::array()},
            {"changed", Json::array()}};
  std::size_t same = 0;
  const auto old_scopes = by_scope(from);
  auto new_scopes = by_scope(to);
  for (const auto& [scope, before] : old_scopes) {
    const auto found = new_scopes.find(scope);
    const std::vector<const Json*> after =
        found == new_scopes.end() ? std::vector<const Json*>() : std::move(found->second);
    for (std::size_t i = 0; i < std::max(before.size(), after.size()); ++i) {
      if (i >= after.size()) {
        diff["removed"].push_back(*before[i]);
      } else if (i >= before.size()) {
        diff["added"].push_back(*after[i]);
      } else if (*before[i] == *after[i]) {
        ++same;
      } else {
        diff["changed"].push_back({{"from", *before[i]}, {"to", *after[i]}});
      }
    }
    if (found != new_scopes.end()) {
      new_scopes.erase(found);
    }
  }
  for (const auto& [scope, after] : new_scopes) {
    for (const Json* rule : after) {
      diff["added"].push_back(*rule);
    }
  }
  diff["same"] = same;
  return diff;
}

std::size_t rule_distance(const Json& from, const Json& to) {
  const std::multiset<std::string> a = texts(from);
  const std::multiset<std::string> b = texts(to);
  std::vector<std::string> differences;
  std::ranges::set_symmetric_difference(a, b, std::back_inserter(differences));
  return differences.size();
}

}  // namespace hone
