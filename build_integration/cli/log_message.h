// The reason in a program's log, for people. Thread safe.
#pragma once

#include <string>
#include <string_view>

namespace hone {

// Why a program says it ended: its last line "PROGRAM: message" (without the name), else the last
// error of its structured log (one JSON object a line, field "level" being "error"; message,
// reason, error or event), else the last line that is not empty. "" for an empty log.
std::string last_log_message(std::string_view log, std::string_view program);

}  // namespace hone
