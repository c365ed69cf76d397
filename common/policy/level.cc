#include "common/policy/level.h"

#include <array>

namespace hone {

std::optional<std::uint32_t> level_bit(std::string_view level) {
  static constexpr std::array<std::string_view, 5> kLevels = {"O1", "O2", "O3", "Os", "Oz"};
  for (std::size_t i = 0; i < kLevels.size(); ++i) {
    if (kLevels[i] == level) {
      return std::uint32_t{1} << i;
    }
  }
  return std::nullopt;
}

}  // namespace hone
