// What an agent that orders passes step by step may choose from. Thread safe.
#pragma once

#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/search/portfolio.h"

namespace hone {

// The compiler's whole pipelines, and every pipeline of the portfolio's members once, in their
// order: what mining has found worth a step. unsupported for a major without an action table.
Result<std::vector<std::string>> step_actions(const Portfolio& portfolio);

}  // namespace hone
