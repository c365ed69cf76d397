// Text from elsewhere, made harmless for a terminal. Thread safe.
#pragma once

#include <string>
#include <string_view>

namespace hone {

// Control characters replaced by spaces, so that text from elsewhere cannot steer the terminal.
std::string printable(std::string_view text);

}  // namespace hone
