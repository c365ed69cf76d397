// Bytes as text and back (RFC 4648, section 4, with padding). Thread safe.
#pragma once

#include <string>
#include <string_view>

#include "common/base/result.h"

namespace hone {

std::string to_base64(std::string_view bytes);

// invalid_argument for what is no base64: other letters, a length that is no multiple of four.
Result<std::string> from_base64(std::string_view text);

}  // namespace hone
