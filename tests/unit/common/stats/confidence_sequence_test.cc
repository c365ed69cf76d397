// How often the truth ever leaves a sequence that is looked at after every observation.
#include "common/stats/confidence_sequence.h"

#include <cmath>

#include <gtest/gtest.h>

#include "common/base/random.h"

namespace hone {
namespace {

double normal(Random& random) {
  const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
  return radius * std::cos(2 * 3.14159265358979 * random.uniform());
}

// Whether 0 is ever outside, over `looks` looks at a series around `mean`.
bool ever_outside(const ConfidenceSequence& sequence, double mean, std::size_t looks,
                  Random& random) {
  double sum = 0;
  double squares = 0;
  for (std::size_t n = 1; n <= looks; ++n) {
    const double value = mean + normal(random);
    sum += value;
    squares += value * value;
    const auto count = static_cast<double>(n);
    if (n < sequence.first) {
      continue;
    }
    const double variance = (squares - sum * sum / count) / (count - 1);
    if (std::abs(sum / count) > sequence_multiplier(sequence, n) * std::sqrt(variance / count)) {
      return true;
    }
  }
  return false;
}

TEST(ConfidenceSequence, KeepsItsErrorOverAllLooks) {
  const ConfidenceSequence sequence{.alpha = 0.05};
  Random random(1);
  int outside = 0;
  for (int i = 0; i < 2000; ++i) {
    outside += ever_outside(sequence, 0, 200, random) ? 1 : 0;
  }
  EXPECT_LE(outside, 120);  // 100 are allowed; three standard errors are 29
  EXPECT_GE(outside, 10);   // and it is no interval that never ends
}

TEST(ConfidenceSequence, FindsAMeanThatIsNotZero) {
  Random random(2);
  int found = 0;
  for (int i = 0; i < 200; ++i) {
    found += ever_outside({.alpha = 0.05}, 1, 40, random) ? 1 : 0;
  }
  EXPECT_GE(found, 195);
}

TEST(ConfidenceSequence, IsInfiniteBeforeTheFirstLook) {
  const ConfidenceSequence sequence{.alpha = 0.01, .first = 6};
  EXPECT_TRUE(std::isinf(sequence_multiplier(sequence, 5)));
  EXPECT_TRUE(std::isfinite(sequence_multiplier(sequence, 6)));
  EXPECT_TRUE(std::isinf(sequence_multiplier({.first = 0}, 3)));
}

TEST(ConfidenceSequence, IsWiderThanALookAtAFixedNumber) {
  EXPECT_GT(sequence_multiplier({.alpha = 0.05}, 20), 2.6);
  EXPECT_LT(sequence_multiplier({.alpha = 0.05}, 20), 3.6);
  EXPECT_GT(sequence_multiplier({.alpha = 0.01}, 20), sequence_multiplier({.alpha = 0.05}, 20));
}

}  // namespace
}  // namespace hone
