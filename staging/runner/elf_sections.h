// Sizes in an ELF file, read from its section headers. Thread safe.
#pragma once

#include <cstdint>
#include <filesystem>

namespace hone {

// Bytes of all executable sections (".text", what a linker keeps apart as ".text.hot" and
// ".text.unlikely", ".plt" ...) of a 64-bit little-endian ELF file: code that is only moved from
// one to another changes nothing. 0 for every other file, a damaged one and one without section
// headers.
std::int64_t text_bytes(const std::filesystem::path& path);

// Whether it begins as an ELF file does.
bool is_elf(const std::filesystem::path& path);

}  // namespace hone
