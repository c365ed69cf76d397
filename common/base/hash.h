// Fast content hashes for keys that an attacker gains nothing from (XXH3, 128 bits).
// SHA-256, for what must not be forged, is in sha256.h. Thread safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hone {

struct Hash128 {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  bool operator==(const Hash128&) const = default;
  auto operator<=>(const Hash128&) const = default;
};

// XXH3_128bits of the bytes (xxHash 0.8, canonical across machines).
Hash128 hash128(std::string_view bytes);

// 32 lower-case hexadecimal digits, high half first, as `xxhsum -H2` prints.
std::string to_hex(Hash128 hash);

}  // namespace hone
