// What an earlier campaign of the same target leaves to the next one: its winner, measured first,
// and the candidates beside it. Pure functions. Thread safe.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "build_integration/cli/report.h"
#include "common/protocol/candidate.h"

namespace hone {

inline constexpr std::string_view kCarriedOver = "carried-over";

// The winner and those whose race says that they are better (the lower end of the interval above 0,
// best first), at most `limit`, each certain to be proposed (log propensity 0). Those of a campaign
// without either: none.
std::vector<Candidate> carried_over(const CampaignReport& last, std::size_t limit);

// "Last time's winner: +2.8 % then, +0.4 % [-0.2, +1.0] now (race)." Nothing if the report has none
// that was measured.
std::optional<std::string> drift_text(const CampaignReport& now, const CampaignReport& last);

}  // namespace hone
