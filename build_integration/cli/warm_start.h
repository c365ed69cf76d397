// What an earlier campaign of the same target, and its canaries, leave to the next one: what serves
// now and the last winner, measured first, and the candidates beside them. Pure functions. Thread
// safe.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "build_integration/cli/report.h"
#include "common/protocol/canary_lesson.h"
#include "common/protocol/candidate.h"

namespace hone {

inline constexpr std::string_view kCarriedOver = "carried-over";
// Of what a canary has put in force.
inline constexpr std::string_view kInProduction = "in-production";

// The winner and those whose race says that they are better (the lower end of the interval above 0,
// best first), at most `limit`, each certain to be proposed (log propensity 0). Those of a campaign
// without either: none. Of `lessons`, newest first: what a canary has put in force comes before
// all, and what one withdrew is left out, whatever staging said of it.
std::vector<Candidate> carried_over(const CampaignReport& last, std::size_t limit,
                                    std::span<const CanaryLesson> lessons = {});

// "Last time's winner: +2.8 % then, +0.4 % [-0.2, +1.0] now (race)." Nothing if the report has none
// that was measured.
std::optional<std::string> drift_text(const CampaignReport& now, const CampaignReport& last);

}  // namespace hone
