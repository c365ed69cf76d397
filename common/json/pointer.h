// JSON Pointer (RFC 6901) text.
#pragma once

#include <string>
#include <string_view>

namespace hone {

// parent + "/" + key, with '~' and '/' of the key escaped.
inline std::string child_pointer(std::string_view parent, std::string_view key) {
  std::string pointer(parent);
  pointer.push_back('/');
  for (const char c : key) {
    if (c == '~') {
      pointer += "~0";
    } else if (c == '/') {
      pointer += "~1";
    } else {
      pointer.push_back(c);
    }
  }
  return pointer;
}

}  // namespace hone
