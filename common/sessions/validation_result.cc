#include "common/sessions/validation_result.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <nlohmann/json.hpp>

namespace hone {

Json to_json(const ValidationResult& result) {
  Json errors = Json::array();
  for (const ValidationError& error : result.errors) {
    errors.push_back({{"type", error.type}, {"data", error.data}});
  }
  return {{"state", to_json(result.state)},
          {"walltime", result.walltime},
          {"reward_validated", result.reward_validated},
          {"actions_replay_failed", result.actions_replay_failed},
          {"reward_validation_failed", result.reward_validation_failed},
          {"benchmark_semantics_validated", result.benchmark_semantics_validated},
          {"benchmark_semantics_validation_failed", result.benchmark_semantics_validation_failed},
          {"errors", std::move(errors)}};
}

std::string error_details(const ValidationResult& result) {
  struct Count {
    std::string type;
    std::size_t times = 0;
    std::size_t place = 0;  // of its first
  };
  std::vector<Count> counts;
  for (const ValidationError& error : result.errors) {
    auto known = std::ranges::find(counts, error.type, &Count::type);
    if (known == counts.end()) {
      known = counts.insert(known, {error.type, 0, counts.size()});
    }
    ++known->times;
  }
  std::ranges::sort(counts, [](const Count& a, const Count& b) {
    return a.times != b.times ? a.times > b.times : a.place < b.place;
  });
  std::string text;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    text += i == 0 ? "" : ", ";
    if (counts.size() > 1) {
      text += "[" + std::to_string(i + 1) + "/" + std::to_string(counts.size()) + "] ";
    }
    text += counts[i].times > 1 ? std::to_string(counts[i].times) + "× " : "";
    text += counts[i].type;
  }
  return text;
}

bool same_reward(double expected, double actual) {
  constexpr double kRelative = 1e-5;
  constexpr double kAbsolute = 1e-10;
  const double larger = std::max(std::abs(expected), std::abs(actual));
  return std::abs(expected - actual) <= std::max(kRelative * larger, kAbsolute);
}

}  // namespace hone
