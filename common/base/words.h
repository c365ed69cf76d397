// A line taken apart as a POSIX shell takes it apart into words, and no more: blanks separate,
// '...', "..." and a backslash hold them together; nothing is expanded or run. Thread safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace hone {

// invalid_argument for a quote that does not end or a backslash at the end.
Result<std::vector<std::string>> split_words(std::string_view text);

}  // namespace hone
