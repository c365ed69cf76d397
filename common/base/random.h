// Pseudo-random numbers whose stream is the same on every machine, compiler and standard library.
//
// The generator is xoshiro256** (Blackman and Vigna), its four words filled by SplitMix64 from one
// seed. The distributions of <random> differ between standard libraries, so the draws that we need
// are written here; they use integer arithmetic only (uniform() divides by a power of two, which is
// exact). Not for secrets. Not thread safe: one object per thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace hone {

class Random {
 public:
  explicit Random(std::uint64_t seed) {
    for (std::uint64_t& word : state_) {
      seed += 0x9e3779b97f4a7c15U;
      std::uint64_t z = seed;
      z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
      z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
      word = z ^ (z >> 31U);
    }
  }

  // 64 uniform bits.
  std::uint64_t bits() {
    const std::uint64_t result = rotate(state_[1] * 5U, 7U) * 9U;
    const std::uint64_t t = state_[1] << 17U;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = rotate(state_[3], 45U);
    return result;
  }

  // Uniform in [0, bound), without bias: draws from the incomplete last block are rejected.
  // bound must be positive.
  std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t rejected = (0U - bound) % bound;  // 2^64 mod bound
    std::uint64_t draw = bits();
    while (draw < rejected) {
      draw = bits();
    }
    return draw % bound;
  }

  // Uniform in [0, 1): a multiple of 2^-53.
  double uniform() { return static_cast<double>(bits() >> 11U) * 0x1.0p-53; }

  // True with probability numerator / denominator, exactly.
  bool chance(std::uint64_t numerator, std::uint64_t denominator) {
    return below(denominator) < numerator;
  }

  // A uniform permutation in place (Fisher and Yates).
  template <class Container>
  void shuffle(Container& items) {
    for (std::size_t left = items.size(); left > 1; --left) {
      using std::swap;
      swap(items[left - 1], items[static_cast<std::size_t>(below(left))]);
    }
  }

 private:
  static std::uint64_t rotate(std::uint64_t x, unsigned by) {
    return (x << by) | (x >> (64U - by));
  }

  std::uint64_t state_[4] = {};
};

}  // namespace hone
