// How many files and sockets this process may have open.
#pragma once

#include <cstddef>

namespace hone {

// Raises the limit so far that so many connections, and what honed needs beside them, have room.
// Where the hard limit is lower, that is logged.
void raise_descriptor_limit(std::size_t connections);

}  // namespace hone
