// Which member of a choice (common/choice) an object was compiled with: the pass plugin leaves a
// line in its .comment section, which an object cache keeps, too. Thread safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hone {

// 0 (the compiler's own pipeline) if the bytes hold no such line.
std::uint32_t chosen_member_of(std::string_view object);
// The same of a file; nothing if it cannot be read or has more than 256 MiB.
std::optional<std::uint32_t> chosen_member(const std::string& path);

}  // namespace hone
