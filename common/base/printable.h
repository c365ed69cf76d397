// Text from elsewhere, made harmless for a terminal. Thread safe.
//
// What is blotted out: control characters (C0, DEL and C1, of which U+009B begins a terminal's
// commands as ESC [ does), separators of lines and paragraphs, and format characters, which show
// nothing themselves and turn the direction of what stands around them, or hide in it.
#pragma once

#include <string>
#include <string_view>

namespace hone {

// Each of them, and each byte that belongs to no UTF-8 character, replaced by a space, so that text
// from elsewhere can neither steer the terminal nor show as something that it is not.
std::string printable(std::string_view text);

// The same of a JSON text, which stays the same document: they are written as \u009b. C0 is left
// alone: in a JSON text it stands between values only.
std::string printable_json(std::string_view json);

}  // namespace hone
