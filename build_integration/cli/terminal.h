// What standard output and standard error are connected to.
#pragma once

#include <cstddef>

namespace hone {

// Whether the descriptor is a terminal that understands cursor movement (TERM is not "dumb").
bool is_terminal(int descriptor);

// Columns of the terminal, 80 if it does not say.
std::size_t terminal_width(int descriptor);

}  // namespace hone
