// What `hone bench` says about a race of several candidates. Thread safe.
#pragma once

#include <string>
#include <vector>

#include "common/json/document.h"
#include "staging/verdict/race.h"

namespace hone {

inline constexpr std::size_t kRaceLines = 12;

// A table of the candidates, the best first, of which `commands` are the texts: at most kRaceLines
// of those that ran, and all that failed with the reason.
std::string race_text(const Race& race, const std::vector<std::string>& commands);

// {"runs":N,"entries":[{"candidate":INDEX,"command":...,"outcome":...,"reason":...,"blocks":N,
// "reward":R or null},...]}, in the order of the race.
Json race_json(const Race& race, const std::vector<std::string>& commands);

}  // namespace hone
