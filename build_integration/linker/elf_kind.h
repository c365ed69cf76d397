// What an object has to say about itself to be linked with others like a given program: its
// machine, and the properties that the linker keeps only if every input has them (on x86 the marks
// for branch and stack protection). Thread safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hone {

struct ElfKind {
  std::uint16_t machine = 0;
  std::uint32_t flags = 0;
  std::string properties;  // content of .note.gnu.property; empty: none
};

// Of a 64-bit little-endian ELF program; nothing for other files.
std::optional<ElfKind> elf_kind_of(std::string_view program);

}  // namespace hone
