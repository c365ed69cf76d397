// How small an effect a series of pairs can see. Thread safe.
#pragma once

#include <cstddef>
#include <span>

namespace hone {

// 1.4826 * median |x - median x|: the standard deviation where the values are normal. 0 for none.
double robust_sigma(std::span<const double> values);

// The log ratio that n pairs with standard deviation sigma each find with the given power in a test
// with this rejection multiplier: (multiplier + z_power) * sigma * sqrt(pi / (3 n)). pi / 3 is the
// inverse of the signed-rank test's efficiency against the mean for normal noise; heavier tails
// only make it see more. Infinity for n = 0.
double detectable_effect(double sigma, std::size_t pairs, double multiplier, double power = 0.9);

// The pairs needed to find `effect` (> 0) with the given power; the inverse of the above, rounded
// up.
std::size_t pairs_needed(double sigma, double effect, double multiplier, double power = 0.9);

}  // namespace hone
