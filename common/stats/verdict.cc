#include "common/stats/verdict.h"

#include <array>
#include <utility>

namespace hone {
namespace {

constexpr std::array<std::pair<Verdict, std::string_view>, 6> kNames = {{
    {Verdict::faster, "faster"},
    {Verdict::slower, "slower"},
    {Verdict::no_change, "no_change"},
    {Verdict::within_noise, "within_noise"},
    {Verdict::inconclusive, "inconclusive"},
    {Verdict::too_noisy, "too_noisy"},
}};

}  // namespace

std::string_view to_string(Verdict verdict) {
  for (const auto& [value, name] : kNames) {
    if (value == verdict) {
      return name;
    }
  }
  return "unknown";
}

std::optional<Verdict> verdict_from_string(std::string_view text) {
  for (const auto& [value, name] : kNames) {
    if (name == text) {
      return value;
    }
  }
  return std::nullopt;
}

}  // namespace hone
