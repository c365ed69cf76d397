// A tar archive made as a fuzzer's input says: headers with right checksums, whatever they claim.
// Not thread safe.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include "tests/fuzz/input_bytes.h"

namespace hone {

inline constexpr std::size_t kTarBlock = 512;

// The checksum over a header's 512 bytes, set.
inline void set_tar_checksum(char* header) {
  std::memset(header + 148, ' ', 8);
  unsigned sum = 0;
  for (std::size_t i = 0; i < kTarBlock; ++i) {
    sum += static_cast<unsigned char>(header[i]);
  }
  std::snprintf(header + 148, 8, "%06o", sum);
}

// Entries of: type, size claimed beyond the content's, mode, name, link target and content.
inline std::string tar_of_script(InputBytes& input) {
  static constexpr std::string_view kTypes = "05120123456xgLKSV7";
  std::string tar;
  while (!input.empty() && tar.size() < (std::size_t{256} << 10U)) {
    std::array<char, kTarBlock> header{};
    const char type = kTypes[input.below(kTypes.size())];
    const std::uint8_t lie = input.next();
    const unsigned mode = input.next() | static_cast<unsigned>(input.next()) << 8U;
    const std::string name = input.text();
    const std::string link = input.text();
    const std::string content = input.text();
    std::memcpy(header.data(), name.data(), std::min<std::size_t>(name.size(), 100));
    std::snprintf(header.data() + 100, 8, "%07o", mode & 07777U);
    std::snprintf(header.data() + 108, 8, "%07o", 0U);
    std::snprintf(header.data() + 116, 8, "%07o", 0U);
    // Mostly honest; else a little or very much more than there is.
    const std::uint64_t size = content.size() + (lie < 200   ? 0
                                                 : lie < 250 ? lie - 200U
                                                             : std::uint64_t{1} << (lie - 217U));
    std::snprintf(header.data() + 124, 12, "%011llo", static_cast<unsigned long long>(size));
    std::snprintf(header.data() + 136, 12, "%011o", 1'700'000'000U);
    header[156] = type;
    std::memcpy(header.data() + 157, link.data(), std::min<std::size_t>(link.size(), 100));
    std::memcpy(header.data() + 257, "ustar\00000", 8);
    set_tar_checksum(header.data());
    tar.append(header.data(), header.size());
    tar += content;
    tar.append((kTarBlock - content.size() % kTarBlock) % kTarBlock, '\0');
  }
  return tar.append(2 * kTarBlock, '\0');
}

// The bytes of a tar, the checksum of every header made right as far as sizes lead on.
inline std::string tar_with_checksums(std::string bytes) {
  for (std::size_t at = 0; at + kTarBlock <= bytes.size();) {
    set_tar_checksum(bytes.data() + at);
    std::uint64_t size = 0;
    for (std::size_t i = at + 124; i < at + 135 && bytes[i] >= '0' && bytes[i] <= '7'; ++i) {
      size = size * 8 + static_cast<std::uint64_t>(bytes[i] - '0');
    }
    at += kTarBlock +
          (std::min<std::uint64_t>(size, bytes.size()) + kTarBlock - 1) / kTarBlock * kTarBlock;
  }
  return bytes;
}

}  // namespace hone
