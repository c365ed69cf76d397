// Hodges-Lehmann's estimate of the centre and the interval that inverts the signed-rank test.
//
// Both are order statistics of the n(n+1)/2 Walsh averages (x_i + x_j) / 2, i <= j. For n = 192
// these are 18,528 numbers, selected (not sorted) in well under a millisecond. Thread safe.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "common/stats/interval.h"

namespace hone {

// All Walsh averages, in no particular order. Values must be finite; at most 4096 of them.
std::vector<double> walsh_averages(std::span<const double> values);

// The median of the Walsh averages; 0 for no values.
double hodges_lehmann(std::span<const double> values);

// Estimate, and the k-th smallest and largest averages with k = floor(M/2 - multiplier * sd(W+)),
// M = n(n+1)/2: the shifts that the signed-rank test at this multiplier does not reject. If k < 0
// the sample is too small for the multiplier and the interval spans the extremes. Zeros for no
// values.
Interval walsh_interval(std::span<const double> values, double multiplier);

// The same with k given directly: low is the (k+1)-th smallest, high the (k+1)-th largest average.
Interval walsh_interval_at(std::span<const double> values, std::size_t k);

}  // namespace hone
