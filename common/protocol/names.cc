#include "common/protocol/names.h"

#include <algorithm>

#include "common/base/text.h"

namespace hone {
namespace {

bool is_lower_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

}  // namespace

bool is_valid_name(std::string_view text) {
  if (text.empty() || text.size() > 63 || !is_lower_or_digit(text.front())) {
    return false;
  }
  return std::ranges::all_of(
      text, [](char c) { return is_lower_or_digit(c) || c == '.' || c == '_' || c == '-'; });
}

bool is_safe_relative_path(std::string_view text) {
  if (text.empty() || text.find('\0') != std::string_view::npos) {
    return false;
  }
  for (const std::string_view part : split(text, '/')) {
    if (part.empty() || part == "..") {
      return false;
    }
  }
  return true;
}

}  // namespace hone
