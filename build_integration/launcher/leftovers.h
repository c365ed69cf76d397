// Temporary files of a compiler that was killed outright (out of memory, the hard CPU limit) and
// could not remove them itself. Thread safe.
#pragma once

#include <cstdint>
#include <string>

namespace hone {

// Removes what clang names while it writes `output`: beside it, "x-0123abcd.o.tmp" for "x.o", not
// older than `since` (seconds since 1970).
void remove_leftovers(const std::string& output, std::int64_t since);

// Whether `name` is such a name for an output called `output` (no folders).
bool is_leftover_name(const std::string& name, const std::string& output);

}  // namespace hone
