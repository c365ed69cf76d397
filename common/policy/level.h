// Optimisation levels as rules name them, and as sets. Thread safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace hone {

// The level's bit in a set; nothing for a text that is not one of O1 O2 O3 Os Oz.
std::optional<std::uint32_t> level_bit(std::string_view level);

// "O1, O2, O3, Os, Oz": for messages.
inline constexpr std::string_view kLevelChoices = "O1, O2, O3, Os, Oz";

}  // namespace hone
