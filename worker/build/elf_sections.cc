#include "worker/build/elf_sections.h"

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/file.h"

namespace hone {
namespace {

constexpr std::size_t kMaxNames = std::size_t{16} << 20U;
constexpr std::size_t kMaxSections = 100'000;

template <class T>
bool read_at(int file, std::uint64_t offset, T* items, std::size_t count) {
  const std::size_t size = sizeof(T) * count;
  return offset <= static_cast<std::uint64_t>(INT64_MAX) &&
         pread(file, items, size, static_cast<off_t>(offset)) == static_cast<ssize_t>(size);
}

}  // namespace

std::int64_t text_bytes(const std::filesystem::path& path) {
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  Elf64_Ehdr header{};
  if (!file || !read_at(file.get(), 0, &header, 1) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_shentsize != sizeof(Elf64_Shdr) ||
      header.e_shoff == 0) {
    return 0;
  }
  // Past 65,279 sections the counts stand in the first header.
  Elf64_Shdr first{};
  if (!read_at(file.get(), header.e_shoff, &first, 1)) {
    return 0;
  }
  const std::uint64_t count = header.e_shnum != 0 ? header.e_shnum : first.sh_size;
  const std::uint64_t names = header.e_shstrndx != SHN_XINDEX ? header.e_shstrndx : first.sh_link;
  if (count == 0 || count > kMaxSections || names >= count) {
    return 0;
  }
  std::vector<Elf64_Shdr> sections(count);
  if (!read_at(file.get(), header.e_shoff, sections.data(), count) ||
      sections[names].sh_size > kMaxNames) {
    return 0;
  }
  std::string text(sections[names].sh_size, '\0');
  if (!read_at(file.get(), sections[names].sh_offset, text.data(), text.size())) {
    return 0;
  }
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_name < text.size() &&
        std::string_view(text.c_str() + section.sh_name) == ".text") {
      return static_cast<std::int64_t>(section.sh_size);
    }
  }
  return 0;
}

}  // namespace hone
