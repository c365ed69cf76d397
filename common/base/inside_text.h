// Texts of errors with a part that is for the log alone: what libpq says names hosts, ports and
// statements, and whoever calls the API may be anybody. Thread safe.
#pragma once

#include <string>
#include <string_view>

namespace hone {

inline constexpr std::string_view kInsideBegins = "; the database said: ";

// "the database does not answer; the database said: connection to server at ...".
inline std::string with_inside(std::string_view open, std::string_view inside) {
  return std::string(open) + std::string(kInsideBegins) + std::string(inside);
}

inline bool has_inside(std::string_view text) {
  return text.find(kInsideBegins) != std::string_view::npos;
}

// What callers may read of a text: all before such a part.
inline std::string_view open_part(std::string_view text) {
  return text.substr(0, text.find(kInsideBegins));
}

}  // namespace hone
