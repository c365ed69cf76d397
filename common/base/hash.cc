#include "common/base/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace hone {

Hash128 hash128(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.low64, hash.high64};
}

std::string to_hex(Hash128 hash) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(32);
  for (const std::uint64_t half : {hash.high, hash.low}) {
    for (int shift = 60; shift >= 0; shift -= 4) {
      text.push_back(kDigits[(half >> shift) & 15U]);
    }
  }
  return text;
}

}  // namespace hone
