#include "common/stats/verdict.h"

#include <array>
#include <utility>

namespace hone {
namespace {

constexpr std::array<std::pair<TestVerdict, std::string_view>, 6> kNames = {{
    {TestVerdict::faster, "faster"},
    {TestVerdict::slower, "slower"},
    {TestVerdict::no_change, "no_change"},
    {TestVerdict::within_noise, "within_noise"},
    {TestVerdict::inconclusive, "inconclusive"},
    {TestVerdict::too_noisy, "too_noisy"},
}};

}  // namespace

std::string_view to_string(TestVerdict verdict) {
  for (const auto& [value, name] : kNames) {
    if (value == verdict) {
      return name;
    }
  }
  return "unknown";
}

std::optional<TestVerdict> verdict_from_string(std::string_view text) {
  for (const auto& [value, name] : kNames) {
    if (name == text) {
      return value;
    }
  }
  return std::nullopt;
}

}  // namespace hone
