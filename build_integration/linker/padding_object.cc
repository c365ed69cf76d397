// The file: header, contents of the sections, section headers. Sections: null, the parts,
// .note.GNU-stack, .note.gnu.property if there is one, .symtab, .strtab, .shstrtab.
#include "build_integration/linker/padding_object.h"

#include <elf.h>

#include <cstring>
#include <string_view>

namespace hone {
namespace {

constexpr std::size_t kAlignment = 16;
constexpr char kTrap = '\xcc';  // int3, should anything ever run into padding on x86

struct SectionKind {
  const char* name;
  std::uint64_t flags;
};

SectionKind kind_of(PaddedSection section) {
  switch (section) {
    case PaddedSection::text_unlikely:
      return {".text.unlikely", SHF_ALLOC | SHF_EXECINSTR};
    case PaddedSection::text_startup:
      return {".text.startup", SHF_ALLOC | SHF_EXECINSTR};
    case PaddedSection::text_hot:
      return {".text.hot", SHF_ALLOC | SHF_EXECINSTR};
    case PaddedSection::text:
      return {".text", SHF_ALLOC | SHF_EXECINSTR};
    case PaddedSection::rodata:
      return {".rodata", SHF_ALLOC};
    case PaddedSection::data:
      return {".data", SHF_ALLOC | SHF_WRITE};
    case PaddedSection::bss:
      return {".bss", SHF_ALLOC | SHF_WRITE};
  }
  return {".text", SHF_ALLOC | SHF_EXECINSTR};
}

template <class T>
std::string_view bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

class ObjectFile {
 public:
  ObjectFile() { headers_.emplace_back(); }

  // Its index.
  std::size_t add(std::string_view name, Elf64_Shdr header, std::string_view content) {
    content_.resize((content_.size() + kAlignment - 1) / kAlignment * kAlignment);
    header.sh_name = static_cast<Elf64_Word>(names_.size());
    names_.append(name).push_back('\0');
    header.sh_offset = sizeof(Elf64_Ehdr) + content_.size();
    if (header.sh_type != SHT_NOBITS) {
      header.sh_size = content.size();
      content_ += content;
    }
    headers_.push_back(header);
    return headers_.size() - 1;
  }

  std::string finish(const ElfKind& kind) {
    Elf64_Shdr names{};
    names.sh_type = SHT_STRTAB;
    names.sh_addralign = 1;
    // Its own name must be there before it is written.
    const std::string whole = names_ + ".shstrtab" + '\0';
    const std::size_t index = add(".shstrtab", names, whole);
    content_.resize((content_.size() + kAlignment - 1) / kAlignment * kAlignment);
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_type = ET_REL;
    header.e_machine = kind.machine;
    header.e_flags = kind.flags;
    header.e_version = EV_CURRENT;
    header.e_ehsize = sizeof header;
    header.e_shoff = sizeof header + content_.size();
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = static_cast<Elf64_Half>(headers_.size());
    header.e_shstrndx = static_cast<Elf64_Half>(index);
    std::string file(bytes_of(header));
    file += content_;
    for (const Elf64_Shdr& section : headers_) {
      file += bytes_of(section);
    }
    return file;
  }

 private:
  std::vector<Elf64_Shdr> headers_;
  std::string content_;
  std::string names_ = std::string(1, '\0');
};

Elf64_Shdr section_header(std::uint32_t type, std::uint64_t flags, std::uint64_t alignment) {
  Elf64_Shdr header{};
  header.sh_type = type;
  header.sh_flags = flags;
  header.sh_addralign = alignment;
  return header;
}

}  // namespace

std::string padding_symbol(std::size_t padding, std::size_t part) {
  return "__hone_padding_" + std::to_string(padding) + "_" + std::to_string(part);
}

std::string padding_object(const ElfKind& kind, std::size_t padding,
                           const std::vector<PaddingPart>& parts) {
  ObjectFile file;
  std::string names(1, '\0');
  std::string symbols(sizeof(Elf64_Sym), '\0');
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const SectionKind section = kind_of(parts[i].section);
    const bool is_code = (section.flags & SHF_EXECINSTR) != 0;
    std::string content(parts[i].bytes, is_code ? kTrap : '\0');
    // No two alike, so that identical code folding leaves each.
    const std::uint64_t mark = padding * 100 + i;
    content.replace(0, sizeof mark, bytes_of(mark));
    const bool is_bss = parts[i].section == PaddedSection::bss;
    Elf64_Shdr header =
        section_header(is_bss ? SHT_NOBITS : SHT_PROGBITS, section.flags, kAlignment);
    header.sh_size = parts[i].bytes;
    Elf64_Sym symbol{};
    symbol.st_name = static_cast<Elf64_Word>(names.size());
    symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, is_code ? STT_FUNC : STT_OBJECT);
    symbol.st_other = STV_HIDDEN;
    symbol.st_size = parts[i].bytes;
    symbol.st_shndx = static_cast<Elf64_Half>(file.add(section.name, header, content));
    symbols += bytes_of(symbol);
    names += padding_symbol(padding, i) + '\0';
  }
  file.add(".note.GNU-stack", section_header(SHT_PROGBITS, 0, 1), "");
  if (!kind.properties.empty()) {
    file.add(".note.gnu.property", section_header(SHT_NOTE, SHF_ALLOC, 8), kind.properties);
  }
  const std::size_t strings = file.add(".strtab", section_header(SHT_STRTAB, 0, 1), names);
  Elf64_Shdr table = section_header(SHT_SYMTAB, 0, 8);
  table.sh_entsize = sizeof(Elf64_Sym);
  table.sh_link = static_cast<Elf64_Word>(strings);
  table.sh_info = 1;  // all but the null symbol are global
  file.add(".symtab", table, symbols);
  return file.finish(kind);
}

}  // namespace hone
