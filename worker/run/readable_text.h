// What programs print, made fit for a result: honed takes no NUL and nothing but UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hone {

// The first `size` bytes of the text, with '?' in place of each NUL and of each byte that is part
// of no UTF-8 character, one cut off at the end included. One byte for one byte: a limit in bytes
// that held before holds afterwards. Thread safe.
std::string readable_text(std::string_view text, std::size_t size);

}  // namespace hone
