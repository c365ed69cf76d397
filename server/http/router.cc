#include "server/http/router.h"

#include <algorithm>
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

// How many segments of a template are fixed: the higher, the more exact.
std::ptrdiff_t fixed_segments(const std::vector<std::string>& pattern) {
  return std::ranges::count_if(pattern, [](const std::string& part) { return !is_name(part); });
}

}  // namespace

void Router::add(Route route) {
  std::vector<std::string> pattern;
  const std::string_view path(route.path);
  for (const std::string_view part : split(path.substr(1), '/')) {
    if (path != "/") {
      pattern.emplace_back(part);
    }
  }
  for (std::size_t i = 0; i < routes_.size(); ++i) {
    if (routes_[i].method == route.method && routes_[i].path == route.path) {
      throw std::logic_error("two routes for " + route.path);
    }
  }
  routes_.push_back(std::move(route));
  segments_.push_back(std::move(pattern));
}

void Router::add(std::vector<Route> routes) {
  for (Route& route : routes) {
    add(std::move(route));
  }
}

RouteMatch Router::find(HttpMethod method, const std::vector<std::string>& segments) const {
  const HttpMethod wanted = method == HttpMethod::head ? HttpMethod::get : method;
  RouteMatch match;
  std::ptrdiff_t best = -1;
  for (std::size_t i = 0; i < routes_.size(); ++i) {
    const std::ptrdiff_t exactness = fixed_segments(segments_[i]);
    if (routes_[i].method != wanted || exactness <= best || !fits(segments_[i], segments)) {
      continue;
    }
    best = exactness;
    match.route = &routes_[i];
    match.path_values.clear();
    for (std::size_t s = 0; s < segments.size(); ++s) {
      const std::string& part = segments_[i][s];
      if (is_name(part)) {
        match.path_values.emplace_back(part.substr(1, part.size() - 2), segments[s]);
      }
    }
  }
  if (match.route == nullptr) {
    match.allowed = allowed_methods(segments);
  }
  return match;
}

std::string Router::allowed_methods(const std::vector<std::string>& segments) const {
  std::vector<std::string> methods;
  for (std::size_t i = 0; i < routes_.size(); ++i) {
    if (!fits(segments_[i], segments)) {
      continue;
    }
    methods.emplace_back(to_string(routes_[i].method));
    if (routes_[i].method == HttpMethod::get) {
      methods.emplace_back("HEAD");
    }
  }
  std::ranges::sort(methods);
  const auto duplicates = std::ranges::unique(methods);
  methods.erase(duplicates.begin(), duplicates.end());
  return join(methods, ", ");
}

}  // namespace hone
