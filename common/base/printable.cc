#include "common/base/printable.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "common/base/text.h"

namespace hone {
namespace {

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

// Ascending. Of Unicode's categories Cc, Zl, Zp, and Cf but for the signs of Arabic and Kaithi
// that are seen.
constexpr std::array<Range, 16> kUnprintable{{{0x00, 0x1f},
                                              {0x7f, 0x9f},
                                              {0xad, 0xad},
                                              {0x61c, 0x61c},
                                              {0x70f, 0x70f},
                                              {0x180e, 0x180e},
                                              {0x200b, 0x200f},
                                              {0x2028, 0x202e},
                                              {0x2060, 0x206f},
                                              {0xfeff, 0xfeff},
                                              {0xfff9, 0xfffb},
                                              {0x13430, 0x1345f},
                                              {0x1bca0, 0x1bca3},
                                              {0x1d173, 0x1d17a},
                                              {0xe0001, 0xe0001},
                                              {0xe0020, 0xe007f}}};

bool is_unprintable(std::uint32_t character) {
  const auto* const range = std::ranges::lower_bound(kUnprintable, character, {}, &Range::last);
  return range != kUnprintable.end() && range->first <= character;
}

// Of a UTF-8 character that is one.
std::uint32_t code_of(std::string_view character) {
  const auto first = static_cast<unsigned char>(character.front());
  if (character.size() == 1) {
    return first;
  }
  std::uint32_t code = first & (0xffU >> (character.size() + 1));
  for (const char c : character.substr(1)) {
    code = code << 6U | (static_cast<unsigned char>(c) & 0x3fU);
  }
  return code;
}

// Calls take(bytes, code) for each character; code is 0 for a byte that belongs to none.
template <class Take>
void each_character(std::string_view text, const Take& take) {
  while (!text.empty()) {
    const std::size_t size = utf8_size(text);
    const std::string_view bytes = text.substr(0, std::max<std::size_t>(size, 1));
    take(bytes, size == 0 ? 0 : code_of(bytes));
    text.remove_prefix(bytes.size());
  }
}

void add_escape(std::string& text, std::uint32_t unit) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  text += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) {
    text += kDigits[unit >> static_cast<unsigned>(shift) & 15U];
  }
}

}  // namespace

std::string printable(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  each_character(text, [&clean](std::string_view bytes, std::uint32_t code) {
    if (is_unprintable(code)) {
      clean += ' ';
    } else {
      clean += bytes;
    }
  });
  return clean;
}

std::string printable_json(std::string_view json) {
  std::string clean;
  clean.reserve(json.size());
  each_character(json, [&clean](std::string_view bytes, std::uint32_t code) {
    if (code < 0x7f || !is_unprintable(code)) {
      clean += bytes;
    } else if (code < 0x10000) {
      add_escape(clean, code);
    } else {
      add_escape(clean, 0xd800 + ((code - 0x10000) >> 10U));
      add_escape(clean, 0xdc00 + ((code - 0x10000) & 0x3ffU));
    }
  });
  return clean;
}

}  // namespace hone
