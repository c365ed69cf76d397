#include "build_integration/cli/shell_word.h"

#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "build_integration/cli/shell_command.h"
#include "common/base/text.h"

namespace hone {
namespace {

constexpr std::size_t kMaxNumber = 100'000;

}  // namespace

Result<std::size_t> number_word(const std::vector<std::string>& words, std::size_t fallback) {
  if (words.empty()) {
    return fallback;
  }
  const std::string& text = words.front();
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number == 0 ||
      number > kMaxNumber) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("'{}' must be a number, 1 to {}", text, kMaxNumber));
  }
  return number;
}

Result<ObservationSpace> observation_word(const std::string& word) {
  const std::optional<ObservationSpace> space = parse_observation_space(word);
  if (!space) {
    return unknown_word("observation", word, listed(kObservationSpaceChoices), "list_observations");
  }
  return *space;
}

Result<RewardSpace> reward_word(const std::string& word) {
  const std::optional<RewardSpace> space = parse_reward_space(word);
  if (!space) {
    return unknown_word("reward", word, listed(kRewardSpaceChoices), "list_rewards");
  }
  return *space;
}

std::vector<std::string> listed(std::string_view choices) {
  std::vector<std::string> all;
  for (const std::string_view piece : split(choices, ',')) {
    all.emplace_back(trim(piece));
  }
  return all;
}

Error unknown_word(std::string_view what, const std::string& word,
                   const std::vector<std::string>& choices, std::string_view list) {
  const std::string close = closest(word, choices);
  return fail(ErrorCode::invalid_argument,
              fmt::format("unknown {} '{}'{} ({} lists them)", what, word,
                          close.empty() ? "" : ": did you mean " + close + "?", list));
}

}  // namespace hone
