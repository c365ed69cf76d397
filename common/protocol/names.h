// What may name a thing of ours, and a file below a folder, in any document.
#pragma once

#include <string_view>

namespace hone {

// Whether text may name a target (also a campaign's or worker's name): [a-z0-9][a-z0-9._-]{0,62}.
bool is_valid_name(std::string_view text);
// Whether text is a relative path without "..", empty parts or a leading '/'. "." is one.
bool is_safe_relative_path(std::string_view text);

}  // namespace hone
