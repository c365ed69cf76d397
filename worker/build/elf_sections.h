// Sizes in an ELF file, read from its section headers. Thread safe.
#pragma once

#include <cstdint>
#include <filesystem>

namespace hone {

// Bytes of section ".text" of a 64-bit little-endian ELF file; 0 for every other file, a damaged
// one and one without section headers.
std::int64_t text_bytes(const std::filesystem::path& file);

}  // namespace hone
