#include "common/search/stratified_draw.h"

#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace hone {
namespace {

using Key = std::pair<std::size_t, std::size_t>;

const std::vector<Stratum> kStrata = {{3, {1, 2}}, {1, {5}}, {0, {1}}, {2, {0, 4}}, {7, {}}};

TEST(StratifiedDraw, FirstDrawByHand) {
  // Active weights 3, 1, 2 of 6; the empty stratum and the one of weight 0 take no part.
  const std::map<Key, double> expected = {
      {{0, 0}, 3 / 6.0 * 1 / 3}, {{0, 1}, 3 / 6.0 * 2 / 3}, {{1, 0}, 1 / 6.0}, {{3, 1}, 2 / 6.0}};
  std::map<Key, double> seen;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    StratifiedDraw draws(kStrata);
    const Draw draw = *draws.next(random);
    seen[{draw.stratum, draw.member}] = std::exp(draw.log_propensity);
  }
  ASSERT_EQ(seen.size(), expected.size());
  for (const auto& [key, probability] : expected) {
    EXPECT_NEAR(seen[key], probability, 1e-11);
  }
}

TEST(StratifiedDraw, SequencesOccurAsOftenAsTheirPropensitiesSay) {
  constexpr int kRuns = 60000;
  struct Seen {
    int count = 0;
    double probability = 0;
  };
  std::map<std::vector<Key>, Seen> sequences;
  for (int run = 0; run < kRuns; ++run) {
    Random random(static_cast<std::uint64_t>(run));
    StratifiedDraw draws(kStrata);
    std::vector<Key> sequence;
    double log_probability = 0;
    for (int i = 0; i < 3; ++i) {
      const Draw draw = *draws.next(random);
      sequence.emplace_back(draw.stratum, draw.member);
      log_probability += draw.log_propensity;
    }
    Seen& seen = sequences[sequence];
    ++seen.count;
    seen.probability = std::exp(log_probability);
  }
  double total = 0;
  for (const auto& [sequence, seen] : sequences) {
    total += seen.probability;
    const double error = std::sqrt(seen.probability * (1 - seen.probability) / kRuns);
    EXPECT_NEAR(seen.count / static_cast<double>(kRuns), seen.probability, 5 * error);
  }
  EXPECT_EQ(sequences.size(), 24U);  // ordered choices of 3 out of 4
  EXPECT_NEAR(total, 1, 1e-9);
}

TEST(StratifiedDraw, GivesEveryMemberOnceAndThenNothing) {
  Random random(1);
  StratifiedDraw draws(kStrata);
  std::set<Key> seen;
  double last = 1;
  while (const std::optional<Draw> draw = draws.next(random)) {
    EXPECT_TRUE(seen.emplace(draw->stratum, draw->member).second);
    last = draw->log_propensity;
  }
  EXPECT_EQ(seen, (std::set<Key>{{0, 0}, {0, 1}, {1, 0}, {3, 1}}));
  EXPECT_EQ(last, 0);  // the last one left is certain
  EXPECT_FALSE(std::signbit(last));
  EXPECT_FALSE(draws.next(random));
  EXPECT_FALSE(StratifiedDraw({}).next(random));
}

}  // namespace
}  // namespace hone
