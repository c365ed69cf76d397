// The reason in a program's log, for people. Thread safe.
#pragma once

#include <string>
#include <string_view>

namespace hone {

// The last error of a structured log (one JSON object a line, field "level" being "error"), as its
// message, reason or error field, or else the last line that is not empty. "" for an empty log.
std::string last_log_message(std::string_view log);

}  // namespace hone
