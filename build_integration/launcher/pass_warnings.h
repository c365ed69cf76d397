// The warnings that depend on what the passes made of the code. A tuned pipeline may give one that
// the compiler's own would not, or lose one (and -Werror makes a difference of exit codes of it).
// Constant data. Thread safe.
#pragma once

#include <string_view>
#include <vector>

#include "build_integration/launcher/command_line.h"

namespace hone {

// Whether messages of a compiler of this family ("clang", "gcc") name such a warning. With colours
// or as JSON names stand in other brackets, so that only the name is looked for; options that leave
// names out are refused (refused_options.h).
bool names_pass_warning(std::string_view messages, std::string_view compiler_family);

// The option that asks for such a warning by its name (-Wframe-larger-than=N, -Werror=...), if no
// later -Wno- takes it back; "" if none. What -Wall and the like imply is not asked for by name: a
// warning of theirs that only the compiler's own pipeline would give does not appear.
std::string_view asked_pass_warning(const std::vector<Option>& options,
                                    std::string_view compiler_family);

}  // namespace hone
