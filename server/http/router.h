// The table of routes: which handler answers which method and path, for whom, with what body.
//
// Filled once before the server starts, then only read. Not thread safe while it is filled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "server/http/message.h"
#include "server/http/request_target.h"

namespace hone {

enum class BodyKind {
  none,           // a body is refused
  json,           // application/json, at least one byte
  optional_json,  // the same, or no body at all
  octets,         // application/octet-stream, handed on in pieces
  messages,       // a WebSocket's, each of at most body_limit bytes: the request must ask for one
};

// A set of roles; admin is in every one. An empty optional in a Route means: no token needed.
class Roles {
 public:
  constexpr Roles(std::initializer_list<Role> roles) {
    for (const Role role : roles) {
      bits_ |= bit(role);
    }
  }
  constexpr bool contains(Role role) const { return (bits_ & bit(role)) != 0; }

 private:
  static constexpr std::uint32_t bit(Role role) { return 1U << static_cast<unsigned>(role); }
  std::uint32_t bits_ = bit(Role::admin);
};

inline constexpr std::uint64_t kDefaultBodyLimit = std::uint64_t{1} << 20U;

struct Route {
  HttpMethod method = HttpMethod::get;
  std::string path{};            // template: "/v1/jobs/{id}/cancel"
  std::optional<Roles> roles{};  // absent: public
  BodyKind body = BodyKind::none;
  std::uint64_t body_limit = kDefaultBodyLimit;
  std::vector<std::string> query{};  // names of the query parameters it takes; others are refused
  bool any_query = false;         // unless they are a page's own, which reads them in the browser
  bool without_database = false;  // a caller who was known before the database went away is one
  Handler handler{};
  QuickHandler quick{};  // asked first where it is given and the request has no body
};

// What became of looking a request up.
struct RouteMatch {
  const Route* route = nullptr;         // null: see allowed
  std::vector<NamedValue> path_values;  // decoded
  std::string allowed;                  // methods of the path when the method is wrong, for Allow
};

class Router {
 public:
  // The route's template must differ from all others of its method (a bug of ours otherwise).
  void add(Route route);
  void add(std::vector<Route> routes);

  // HEAD is answered by the GET route. Neither route nor allowed: the path is unknown. A fixed
  // segment beats a {name}.
  RouteMatch find(HttpMethod method, const std::vector<std::string>& segments) const;
  // The methods of a path, for a method that we do not know at all.
  std::string allowed_methods(const std::vector<std::string>& segments) const;

  const std::deque<Route>& routes() const { return routes_; }

 private:
  // A route's template taken apart.
  struct Pattern {
    std::size_t route = 0;  // in routes_
    std::vector<std::string> segments;
    std::ptrdiff_t fixed = 0;  // how many of them are no {name}: the higher, the more exact
  };
  // The templates with that many segments, the more exact ones first.
  const std::vector<Pattern>& patterns_of(std::size_t segments) const;

  std::deque<Route> routes_;                    // stay where they are
  std::vector<std::vector<Pattern>> patterns_;  // by their number of segments
};

}  // namespace hone
