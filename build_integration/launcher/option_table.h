// Which options of clang and GCC take their value from the next argument. Thread safe.
//
// Taken from clang 19's own option table (clang/Driver/Options.td, what the gcc-like driver
// accepts) and GCC's manual; older releases have a subset. An option that is missing here would
// make its value look like an input file, which means plain: the error is on the safe side.
#pragma once

#include <cstddef>
#include <string_view>

namespace hone {

// How many of the following arguments belong to this one: 0 to 3. "-I" has one, "-Iinclude" none,
// "-Xarch_host" one, "-sectcreate" three.
std::size_t following_values(std::string_view argument);

}  // namespace hone
