// The command of one further link. Pure, thread safe.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "build_integration/linker/layout.h"
#include "build_integration/linker/link_command.h"

namespace hone {

// The words of `link` with another output and an object of padding, paddings[i] for layout[i],
// before each of the layout's places; what it would write on the side goes nowhere.
std::vector<std::string> copy_command(const LinkCommand& link, const std::string& output,
                                      const std::vector<Padding>& layout,
                                      const std::vector<std::string>& paddings);

// Words as a response file that clang and GCC read back as they were.
std::string response_text(const std::vector<std::string>& words);

}  // namespace hone
