// Benches that the tests of compare() have in common.
#pragma once

#include <memory>

#include "common/base/random.h"
#include "staging/verdict/comparison.h"
#include "tests/unit/staging/verdict/fake_bench.h"

namespace hone {

inline bool is_candidate(SampleRole role) {
  return role == SampleRole::candidate;
}

// Seconds with some noise; the candidate's times `factor`.
inline FakeBench::Make noisy(double factor, double noise = 0.01, std::uint64_t seed = 7) {
  auto random = std::make_shared<Random>(seed);
  return [=](SampleRole role, std::size_t, int) {
    return took((is_candidate(role) ? factor : 1.0) * (1 + noise * (random->uniform() - 0.5)));
  };
}

inline Comparison compare_with(const FakeBench::Make& make, ComparisonPlan plan = {}) {
  FakeBench bench(make);
  return compare(bench, plan, {});
}

}  // namespace hone
