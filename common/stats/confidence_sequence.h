// An interval that may be looked at after every observation, as often as one likes.
//
// The mixture boundary of Robbins in its asymptotic form: Waudby-Smith, Arbour, Sinha, Kennedy and
// Ramdas, "Time-uniform central limit theory and asymptotic confidence sequences", Annals of
// Statistics 52 (2024), theorem 2.2. Where intervals for a fixed number of observations, looked at
// fifty times, are wrong in a third of all series, these are wrong in a share alpha of them at any
// time at all. Thread safe.
#pragma once

#include <cstddef>

namespace hone {

struct ConfidenceSequence {
  double alpha = 0.05;    // share of series that may ever leave the interval, in (0, 1)
  double tightest = 20;   // number of observations at which the interval is narrowest, above 0
  std::size_t first = 8;  // observations before there is an interval, at least 4
};

// By how many standard errors (of the mean of `observations`) the interval reaches to each side;
// infinity before there are `first`. Few observations tell their own spread badly, so that the
// multiplier is Student's: the boundary's tail probability, taken at observations - 1 degrees of
// freedom.
double sequence_multiplier(const ConfidenceSequence& sequence, std::size_t observations);

}  // namespace hone
