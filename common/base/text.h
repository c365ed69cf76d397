// Small pieces of text work that the standard library lacks. Thread safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hone {

// "a,b,,c" at ',' gives a, b, "", c; an empty text gives one empty piece.
std::vector<std::string_view> split(std::string_view text, char separator);

std::string join(const std::vector<std::string>& pieces, std::string_view separator);

std::string_view trim(std::string_view text);

// Whether the whole text matches a pattern of '*' (any run, '/' included) and '?' (one character).
bool matches_glob(std::string_view pattern, std::string_view text);

// Bytes of the UTF-8 character that a text begins with; 0 if it begins with none (RFC 3629:
// overlong forms, surrogates and what is past U+10FFFF are none).
std::size_t utf8_size(std::string_view text);

// Whether the whole text is UTF-8; an empty one is.
bool is_utf8(std::string_view text);
// The one of `words` that takes the fewest edits to come to from `word`; empty if none is close.
std::string closest(std::string_view word, const std::vector<std::string>& words);

}  // namespace hone
