// Upper and lower case in ASCII, as HTTP's names have it. Thread safe.
#pragma once

#include <algorithm>
#include <string_view>

namespace hone {

constexpr char lower_case(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

constexpr bool equal_but_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) {
           return lower_case(x) == lower_case(y);
         });
}

}  // namespace hone
