// The words behind a command of `hone env shell`. Errors name the word and what would be right.
// Thread safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/sessions/observation_space.h"
#include "common/sessions/reward_space.h"

namespace hone {

// 1 to 100,000: the first word, or `fallback` without one.
Result<std::size_t> number_word(const std::vector<std::string>& words, std::size_t fallback);

Result<ObservationSpace> observation_word(const std::string& word);
Result<RewardSpace> reward_word(const std::string& word);

// "a, b" as a and b.
std::vector<std::string> listed(std::string_view choices);

// That `word` is no `what`, with the closest of `choices` and the command that lists them.
Error unknown_word(std::string_view what, const std::string& word,
                   const std::vector<std::string>& choices, std::string_view list);

}  // namespace hone
