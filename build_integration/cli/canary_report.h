// A canary as text: for a terminal in a few lines, and its whole trail as Markdown. Thread safe.
#pragma once

#include <string>

#include "common/json/document.h"

namespace hone {

// What is left of the error budget, of a canary or of a service of /v1/services.
std::string budget_text(const Json& document);

// State, share, what is known of each indicator, and the error budget. `canary` is an answer of
// /v1/canaries/{id}.
std::string canary_text(const Json& canary);

// One page for whoever asks later: what was tried, its propensity, every decision with why, the
// indicators, what it taught beside what staging had said, the budget, every window (of an answer
// with windows).
std::string canary_markdown(const Json& canary);

}  // namespace hone
