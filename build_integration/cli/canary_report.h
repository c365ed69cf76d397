// A canary as text: for a terminal in a few lines, and its whole trail as Markdown. Thread safe.
#pragma once

#include <string>

#include "common/json/document.h"

namespace hone {

// State, share, what is known of each indicator, and the error budget. `canary` is an answer of
// /v1/canaries/{id}.
std::string canary_text(const Json& canary);

// One page for whoever asks later: what was tried, every decision with why, the indicators, the
// windows that told nothing, the budget.
std::string canary_markdown(const Json& canary);

}  // namespace hone
