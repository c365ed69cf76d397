#include "server/http/router.h"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string_view>

#include "common/base/text.h"

namespace hone {
namespace {

bool is_name(std::string_view segment) {
  return segment.starts_with('{');
}

bool fits(const std::vector<std::string>& pattern, const std::vector<std::string>& segments) {
  return std::ranges::equal(pattern, segments, [](const std::string& part, const std::string& s) {
    return is_name(part) || part == s;
  });
}

}  // namespace

void Router::add(Route route) {
  Pattern pattern;
  const std::string_view path(route.path);
  for (const std::string_view part : split(path.substr(1), '/')) {
    if (path != "/") {
      pattern.segments.emplace_back(part);
      pattern.fixed += is_name(part) ? 0 : 1;
    }
  }
  for (const Route& other : routes_) {
    if (other.method == route.method && other.path == route.path) {
      throw std::logic_error("two routes for " + route.path);
    }
  }
  pattern.route = routes_.size();
  routes_.push_back(std::move(route));
  const std::size_t size = pattern.segments.size();
  patterns_.resize(std::max(patterns_.size(), size + 1));
  std::vector<Pattern>& alike = patterns_[size];
  const auto behind =
      std::ranges::upper_bound(alike, pattern.fixed, std::greater(), &Pattern::fixed);
  alike.insert(behind, std::move(pattern));
}

void Router::add(std::vector<Route> routes) {
  for (Route& route : routes) {
    add(std::move(route));
  }
}

const std::vector<Router::Pattern>& Router::patterns_of(std::size_t segments) const {
  static const std::vector<Pattern> kNone;
  return segments < patterns_.size() ? patterns_[segments] : kNone;
}

RouteMatch Router::find(HttpMethod method, const std::vector<std::string>& segments) const {
  const HttpMethod wanted = method == HttpMethod::head ? HttpMethod::get : method;
  RouteMatch match;
  for (const Pattern& pattern : patterns_of(segments.size())) {
    const Route& route = routes_[pattern.route];
    if (route.method != wanted || !fits(pattern.segments, segments)) {
      continue;
    }
    match.route = &route;
    for (std::size_t s = 0; s < segments.size(); ++s) {
      const std::string& part = pattern.segments[s];
      if (is_name(part)) {
        match.path_values.emplace_back(part.substr(1, part.size() - 2), segments[s]);
      }
    }
    return match;
  }
  match.allowed = allowed_methods(segments);
  return match;
}

std::string Router::allowed_methods(const std::vector<std::string>& segments) const {
  std::vector<std::string> methods;
  for (const Pattern& pattern : patterns_of(segments.size())) {
    if (!fits(pattern.segments, segments)) {
      continue;
    }
    const HttpMethod method = routes_[pattern.route].method;
    methods.emplace_back(to_string(method));
    if (method == HttpMethod::get) {
      methods.emplace_back("HEAD");
    }
  }
  std::ranges::sort(methods);
  const auto duplicates = std::ranges::unique(methods);
  methods.erase(duplicates.begin(), duplicates.end());
  return join(methods, ", ");
}

}  // namespace hone
