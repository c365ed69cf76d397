// Random identifiers and secrets from the kernel's generator.
#pragma once

#include <cstddef>
#include <string>

namespace hone {

// `bytes` random bytes as lower-case hexadecimal digits. Throws std::system_error if the kernel
// gives none (it never does on a running machine).
std::string random_hex(std::size_t bytes);

// A random UUID, version 4, in its usual form.
std::string random_uuid();

}  // namespace hone
