// Which names and link targets of an archive are safe to create below a folder. Thread safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace hone {

// The parts of an entry's name, "." and doubled or trailing slashes left out; empty for the root
// itself. invalid_argument with the reason for an absolute name, one with "..", a control
// character, a part of more than 255 bytes, more than 4096 bytes or 64 parts in all.
Result<std::vector<std::string>> entry_parts(std::string_view name);

// Whether a symbolic link with this target, in a real folder `depth` levels below the root, stays
// inside. ".." may stand only at the front, at most `depth` times: "a/.." is a's parent, and a may
// be a link itself, so a check of the text alone would say too little.
bool link_stays_inside(std::string_view target, std::size_t depth);

}  // namespace hone
