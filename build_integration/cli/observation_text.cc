#include "build_integration/cli/observation_text.h"

#include <fmt/format.h>

namespace hone {

std::string observation_text(const Observation& observation) {
  if (const auto* const number = std::get_if<std::int64_t>(&observation)) {
    return std::to_string(*number);
  }
  if (const auto* const text = std::get_if<std::string>(&observation)) {
    return *text;
  }
  return std::visit(
      [](const auto& values) -> std::string {
        if constexpr (requires { fmt::join(values, " "); }) {
          return fmt::format("{}", fmt::join(values, " "));
        }
        return "";
      },
      observation);
}

}  // namespace hone
