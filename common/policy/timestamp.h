// Points in time as policy documents write them: RFC 3339, whole seconds. Thread safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hone {

// "2026-11-27T23:13:02Z" of seconds since 1970, UTC.
std::string format_timestamp(std::int64_t seconds);

// Seconds since 1970 of a date and time with "Z" or an offset such as "+01:00"; fractions of a
// second are dropped. Nothing for any other text, impossible dates included.
std::optional<std::int64_t> parse_timestamp(std::string_view text);

}  // namespace hone
