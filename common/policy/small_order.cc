#include "common/policy/small_order.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

namespace hone {
namespace {

// y, little endian, without the sign of x: 0 (order 4), 1 (order 1), -1 (order 2), the two y of the
// points of order 8, and of those below 19 that are among them again with 2^255 - 19 added.
constexpr std::array<std::string_view, 7> kSmallOrder = {
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
};

}  // namespace

bool is_small_order(std::string_view key) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string y;
  for (std::size_t i = 0; i < key.size(); ++i) {
    const auto byte = static_cast<unsigned char>(key[i]);
    const unsigned int without_sign = i + 1 == key.size() ? byte & 0x7fU : byte;
    y += kDigits[without_sign >> 4U];
    y += kDigits[without_sign & 15U];
  }
  return std::ranges::find(kSmallOrder, y) != kSmallOrder.end();
}

}  // namespace hone
