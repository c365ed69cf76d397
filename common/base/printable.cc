#include "common/base/printable.h"

namespace hone {

std::string printable(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    // C1 controls are U+0080..U+009F, two bytes in UTF-8: 0xc2 0x80..0x9f.
    const bool c1 = byte == 0xc2U && i + 1 < text.size() &&
                    static_cast<unsigned char>(text[i + 1]) >= 0x80U &&
                    static_cast<unsigned char>(text[i + 1]) <= 0x9fU;
    if (c1) {
      clean.push_back(' ');
      ++i;
    } else {
      clean.push_back(byte < 0x20U || byte == 0x7fU ? ' ' : text[i]);
    }
  }
  return clean;
}

}  // namespace hone
