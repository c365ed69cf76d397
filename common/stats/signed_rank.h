// Wilcoxon's signed-rank test of "the median (centre of symmetry) is zero".
//
// Ties in |x| get mid-ranks and the variance is corrected for them; zeros take part in the ranking
// and then count for neither side (Pratt), which keeps tests of shifted data monotone in the shift.
// W+ is the sum of the ranks of the positive values. Thread safe. Values must be finite.
#pragma once

#include <cstddef>
#include <span>

namespace hone {

struct SignedRank {
  std::size_t n = 0;        // all values
  std::size_t zeros = 0;    // of them exactly zero
  double positive_sum = 0;  // W+
  double mean = 0;          // of W+ under the hypothesis
  double variance = 0;      // of W+ under the hypothesis, ties and zeros accounted for
  bool ties = false;        // whether two non-zero |x| are equal
};

SignedRank signed_rank(std::span<const double> values);

// +1 if the values are shifted up beyond `multiplier` standard deviations of W+, -1 if down, 0 if
// neither: |W+ - mean| >= multiplier * sd, no continuity correction. 0 if the variance is 0.
int signed_rank_sign(std::span<const double> values, double multiplier);

// The same after subtracting `shift` from every value, without a copy by the caller.
int signed_rank_sign(std::span<const double> values, double shift, double multiplier);

// Up to this many values without ties and zeros the distribution of W+ is enumerated exactly.
inline constexpr std::size_t kExactSignedRankLimit = 50;

// Two-sided p-value at a fixed n: exact (see above), else the normal approximation with continuity
// correction. 1 for no values, or zeros only.
double signed_rank_p_value(std::span<const double> values);

// P(W+ <= w) for n values without ties and zeros; n <= kExactSignedRankLimit.
double signed_rank_cdf(std::size_t n, std::size_t w);

// The number of w with P(W+ <= w) <= p: the values that a one-sided test of size p rejects. Same
// limit.
std::size_t signed_rank_rejected(std::size_t n, double p);

}  // namespace hone
