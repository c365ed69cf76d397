// SQL of the longest pause between two notes of served time (ServedTime) that is none: beyond it
// leases are given further time, and until then none ends.
#pragma once

#include <string_view>

namespace hone {

inline constexpr std::string_view kServedGap = "interval '2 seconds'";

}  // namespace hone
