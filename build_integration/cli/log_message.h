// The reason in a program's log, for people. Thread safe.
#pragma once

#include <string>
#include <string_view>

namespace hone {

// Why a program says it ended: its last line "PROGRAM: message" (without the name), else the last
// error of its structured log (common/base/log.h, as JSON or text), else the last line that is none
// of that log (an assertion's, a sanitizer's). "" where there is none: what else a program logged
// before its end has nothing to do with it.
std::string last_log_message(std::string_view log, std::string_view program);

}  // namespace hone
