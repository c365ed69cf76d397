// A command that was given as one text, taken apart without a shell. Thread safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace hone {

// Words as a POSIX shell would see them in "A 'two words' \"x y\" a\ b": blanks separate, single
// quotes keep everything, double quotes all but a backslash before one of "\\\"$`", a backslash
// keeps the next character. Nothing is expanded. invalid_argument for no word at all, an open
// quote, a NUL, and for characters that a shell would act on where they stand bare (| & ; < > ( ) $
// ` * ?): whoever means a shell says sh -c.
Result<std::vector<std::string>> command_words(std::string_view text);

}  // namespace hone
