// What a setting's text may be. For files of common/settings and those that declare settings.
// Thread safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/json/document.h"

namespace hone {

enum class SettingShape {
  one,   // one value
  flag,  // on or off
  list,  // any number of values
};

// The whole numbers that are taken, both ends included.
struct WholeNumbers {
  std::int64_t low = 0;
  std::int64_t high = 0;
};

// "whole number, 1 to 86400"
std::string describe(WholeNumbers range);

// invalid_argument: "'0' must be a whole number from 1 to 86400".
Result<std::int64_t> parse_whole_number(std::string_view text, WholeNumbers range);
// true, false, yes, no, on, off, 1, 0.
Result<bool> parse_switch(std::string_view text);
// The place in `spellings`; the error names the closest.
Result<std::size_t> parse_choice(std::string_view text, const std::vector<std::string>& spellings);

// A file's value as the texts that a flag would have: a scalar, or for a list any number of them.
Result<std::vector<std::string>> texts_of(const Json& value, SettingShape shape);

}  // namespace hone
