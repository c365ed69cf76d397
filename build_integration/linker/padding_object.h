// An object file that holds nothing but room: linked among others, it moves what comes behind it.
//
// Written byte by byte, not assembled: a copy of a program takes up to sixteen of them, an
// assembler would be started for each, and nothing of the command (its languages, its options for
// assemblers) applies to an object. Thread safe.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "build_integration/linker/elf_kind.h"

namespace hone {

// Sections that linkers put together from all inputs, in order of the inputs. GNU ld and gold keep
// unlikely, startup and hot code apart from the rest, in this order.
enum class PaddedSection { text_unlikely, text_startup, text_hot, text, rodata, data, bss };

struct PaddingPart {
  PaddedSection section = PaddedSection::text;
  std::size_t bytes = 0;  // a multiple of 16, at least 16
  bool operator==(const PaddingPart&) const = default;
};

// The global, hidden symbol at the begin of a part. Named with -u it keeps the part where unused
// sections are dropped (--gc-sections), with every linker; retained sections (SHF_GNU_RETAIN) need
// GNU ld 2.36 or lld 13, and gold drops them.
std::string padding_symbol(std::size_t padding, std::size_t part);

// The object; `padding` is its number within the link. It asks for no executable stack.
std::string padding_object(const ElfKind& kind, std::size_t padding,
                           const std::vector<PaddingPart>& parts);

}  // namespace hone
