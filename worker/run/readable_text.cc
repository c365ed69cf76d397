#include "worker/run/readable_text.h"

#include <algorithm>

namespace hone {
namespace {

// Bytes of the UTF-8 character that `text` begins with; 0 if it begins with none.
std::size_t character_bytes(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) {
    return 1;
  }
  // C0, C1: an overlong form of ASCII. F5 and above: past the last character there is.
  const std::size_t size = first < 0xc2   ? 0
                           : first < 0xe0 ? 2
                           : first < 0xf0 ? 3
                           : first < 0xf5 ? 4
                                          : 0;
  if (size == 0 || size > text.size()) {
    return 0;
  }
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) {
      return 0;
    }
  }
  const unsigned second = byte(1);
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool surrogate = first == 0xed && second > 0x9f;
  const bool too_high = first == 0xf4 && second > 0x8f;
  return overlong || surrogate || too_high ? 0 : size;
}

}  // namespace

std::string readable_text(std::string_view text, std::size_t size) {
  std::string result(text.substr(0, size));
  for (std::size_t at = 0; at < result.size();) {
    const std::size_t bytes = character_bytes(std::string_view(result).substr(at));
    if (bytes == 0 || result[at] == '\0') {
      result[at] = '?';
    }
    at += std::max<std::size_t>(bytes, 1);
  }
  return result;
}

}  // namespace hone
