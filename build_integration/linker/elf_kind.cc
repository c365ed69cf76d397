#include "build_integration/linker/elf_kind.h"

#include <elf.h>

#include <cstring>

namespace hone {
namespace {

#ifndef PT_GNU_PROPERTY
constexpr std::uint32_t PT_GNU_PROPERTY = 0x6474e553;
#endif

// A struct at an offset, if the file is that long.
template <class T>
bool read_at(std::string_view file, std::uint64_t offset, T& value) {
  if (offset > file.size() || file.size() - offset < sizeof(T)) {
    return false;
  }
  std::memcpy(&value, file.data() + offset, sizeof(T));
  return true;
}

}  // namespace

std::optional<ElfKind> elf_kind_of(std::string_view program) {
  Elf64_Ehdr header;
  if (!read_at(program, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
      (header.e_type != ET_EXEC && header.e_type != ET_DYN)) {
    return std::nullopt;
  }
  ElfKind kind;
  kind.machine = header.e_machine;
  kind.flags = header.e_flags;
  for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (!read_at(program, header.e_phoff + i * sizeof segment, segment)) {
      return std::nullopt;
    }
    if (segment.p_type == PT_GNU_PROPERTY && segment.p_offset <= program.size() &&
        segment.p_filesz <= program.size() - segment.p_offset) {
      kind.properties = program.substr(segment.p_offset, segment.p_filesz);
    }
  }
  return kind;
}

}  // namespace hone
