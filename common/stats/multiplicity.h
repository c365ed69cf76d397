// Several tests at once. Thread safe.
#pragma once

#include <span>
#include <vector>

namespace hone {

// Holm's step-down adjusted p-values, in the order given: rejecting those at or below alpha keeps
// the chance of any false rejection at alpha whatever the dependence. Each within [0, 1].
std::vector<double> holm_adjusted(std::span<const double> p_values);

}  // namespace hone
