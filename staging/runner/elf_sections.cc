#include "staging/runner/elf_sections.h"

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <vector>

#include "common/base/file.h"

namespace hone {
namespace {

constexpr std::size_t kMaxSections = 100'000;

template <class T>
bool read_at(int file, std::uint64_t offset, T* items, std::size_t count) {
  const std::size_t size = sizeof(T) * count;
  return offset <= static_cast<std::uint64_t>(INT64_MAX) &&
         pread(file, items, size, static_cast<off_t>(offset)) == static_cast<ssize_t>(size);
}

UniqueFd open_to_read(const std::filesystem::path& path) {
  return UniqueFd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
}

}  // namespace

std::int64_t text_bytes(const std::filesystem::path& path) {
  const UniqueFd file = open_to_read(path);
  Elf64_Ehdr header{};
  if (!file || !read_at(file.get(), 0, &header, 1) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_shentsize != sizeof(Elf64_Shdr) ||
      header.e_shoff == 0) {
    return 0;
  }
  // Past 65,279 sections the count stands in the first header.
  Elf64_Shdr first{};
  if (!read_at(file.get(), header.e_shoff, &first, 1)) {
    return 0;
  }
  const std::uint64_t count = header.e_shnum != 0 ? header.e_shnum : first.sh_size;
  if (count == 0 || count > kMaxSections) {
    return 0;
  }
  std::vector<Elf64_Shdr> sections(count);
  if (!read_at(file.get(), header.e_shoff, sections.data(), count)) {
    return 0;
  }
  std::uint64_t bytes = 0;
  for (const Elf64_Shdr& section : sections) {
    if ((section.sh_flags & SHF_EXECINSTR) != 0 && section.sh_type != SHT_NOBITS) {
      bytes += section.sh_size;
    }
  }
  // No file has that much: its headers are damaged.
  return bytes <= static_cast<std::uint64_t>(INT64_MAX) ? static_cast<std::int64_t>(bytes) : 0;
}

bool is_elf(const std::filesystem::path& path) {
  const UniqueFd file = open_to_read(path);
  char magic[SELFMAG];
  return file && read_at(file.get(), 0, magic, SELFMAG) && std::memcmp(magic, ELFMAG, SELFMAG) == 0;
}

}  // namespace hone
