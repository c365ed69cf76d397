#include "common/stats/sequential_test.h"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/common/stats/series.h"

namespace hone {
namespace {

SequentialTest start(const SequentialSettings& settings = {}) {
  return *SequentialTest::create(settings);
}

SequentialDecision decide(const std::vector<PairedSample>& samples,
                          const SequentialSettings& settings = {}) {
  SequentialTest test = start(settings);
  for (const PairedSample& sample : samples) {
    if (test.decision()) {
      break;
    }
    EXPECT_TRUE(test.add(sample));
  }
  EXPECT_TRUE(test.decision());
  return test.decision().value_or(SequentialDecision());
}

// References: the procedure written with numpy, on the same numbers.
TEST(SequentialTest, AgreesWithReference) {
  const SequentialDecision faster = decide(paired_series(192, 0.02, 0.06, 4, 0.014));
  EXPECT_EQ(faster.verdict, TestVerdict::faster);
  EXPECT_EQ(faster.pairs, 12U);
  EXPECT_NEAR(faster.reward.low, 0.010723488602576811, 1e-12);
  EXPECT_NEAR(faster.reward.estimate, 0.020252725470763136, 1e-12);
  EXPECT_NEAR(faster.reward.high, 0.03076313181367691, 1e-12);
  EXPECT_NEAR(faster.order_effect, 0.0021962338949454915, 1e-12);
  EXPECT_NEAR(faster.sigma, 0.01622190683845392, 1e-12);

  const SequentialDecision slower = decide(paired_series(192, -0.02, 0.06, 4, 0.014));
  EXPECT_EQ(slower.verdict, TestVerdict::slower);
  EXPECT_NEAR(slower.reward.estimate, -0.018756194251734387, 1e-12);

  const SequentialDecision same = decide(paired_series(192, 0, 0.02, 5, 0.01));
  EXPECT_EQ(same.verdict, TestVerdict::no_change);
  EXPECT_EQ(same.pairs, 12U);

  const SequentialDecision noisy = decide(paired_series(192, 0, 0.5, 8, 0));
  EXPECT_EQ(noisy.verdict, TestVerdict::too_noisy);
  EXPECT_EQ(noisy.pairs, 24U);
  EXPECT_NEAR(noisy.reward.low, -0.07879088206144698, 1e-12);
}

TEST(SequentialTest, SignificantBelowTheFloorIsWithinNoise) {
  const std::vector<PairedSample> samples = paired_series(192, 0.004, 0.008, 7, 0);
  const SequentialDecision decision = decide(samples);
  EXPECT_EQ(decision.verdict, TestVerdict::within_noise);
  EXPECT_GT(decision.reward.low, 0);
  SequentialSettings fine;
  fine.noise_floor = 0.002;
  EXPECT_EQ(decide(samples, fine).verdict, TestVerdict::faster);
}

TEST(SequentialTest, LayoutDeviationRaisesDelta) {
  SequentialSettings settings;
  EXPECT_DOUBLE_EQ(no_change_delta(settings), 0.01);
  settings.sigma_layout = 0.02;
  settings.layouts = 8;
  EXPECT_DOUBLE_EQ(no_change_delta(settings), 1.96 * 0.02 * 0.5);
  const std::vector<PairedSample> samples = paired_series(192, 0.014, 0.008, 7, 0);
  EXPECT_EQ(decide(samples).verdict, TestVerdict::faster);
  EXPECT_EQ(decide(samples, settings).verdict, TestVerdict::within_noise);
}

TEST(SequentialTest, LooksOnlyWhereItSays) {
  SequentialTest test = start();
  EXPECT_EQ(test.next_look(), 12U);
  std::vector<std::size_t> looks;
  // Leans to one side, too little for a verdict and too much for no_change: runs to the end.
  for (const PairedSample& sample : paired_series(192, 0.008, 0.16, 3, 0)) {
    const std::size_t i = test.samples().size();
    ASSERT_FALSE(test.decision()) << i;
    if (looks.empty() || looks.back() != *test.next_look()) {
      looks.push_back(*test.next_look());
    }
    EXPECT_EQ(test.pairs_missing(), looks.back() - i);
    ASSERT_TRUE(test.add(sample));
  }
  EXPECT_EQ(looks, std::vector<std::size_t>(kLooks.begin(), kLooks.end()));
  ASSERT_TRUE(test.decision());
  EXPECT_EQ(test.decision()->verdict, TestVerdict::inconclusive);
  EXPECT_EQ(test.decision()->pairs, 192U);
  EXPECT_EQ(test.next_look(), std::nullopt);
  EXPECT_EQ(test.pairs_missing(), 0U);
  EXPECT_EQ(test.add({0, RunOrder::baseline_first}).error().code, ErrorCode::conflict);
}

TEST(SequentialTest, EndsAtTheLastLookWithinMaxPairs) {
  SequentialSettings settings;
  settings.max_pairs = 20;
  const SequentialDecision decision = decide(paired_series(192, 0, 0.15, 9, 0), settings);
  EXPECT_EQ(decision.verdict, TestVerdict::inconclusive);
  EXPECT_EQ(decision.pairs, 16U);
}

TEST(SequentialTest, OneSidedNoChangeStopsEarlierForSlowerOnes) {
  SequentialSettings race;
  race.one_sided_no_change = true;
  // Leans to the slow side without being significant at 12.
  const std::vector<PairedSample> samples = paired_series(192, -0.012, 0.06, 4, 0);
  const SequentialDecision one_sided = decide(samples, race);
  const SequentialDecision two_sided = decide(samples);
  EXPECT_EQ(one_sided.verdict, TestVerdict::no_change);
  EXPECT_LT(one_sided.pairs, two_sided.pairs);
}

TEST(SequentialTest, RefusesBadSettingsAndSamples) {
  for (const double floor : {0.0, -0.01, std::nan("")}) {
    SequentialSettings settings;
    settings.noise_floor = floor;
    EXPECT_FALSE(SequentialTest::create(settings));
  }
  SequentialSettings settings;
  settings.max_pairs = 11;
  EXPECT_FALSE(SequentialTest::create(settings));
  settings = {};
  settings.layouts = 0;
  EXPECT_FALSE(SequentialTest::create(settings));
  settings = {};
  settings.sigma_layout = -1;
  EXPECT_FALSE(SequentialTest::create(settings));
  SequentialTest test = start();
  EXPECT_EQ(test.add({INFINITY, RunOrder::baseline_first}).error().code,
            ErrorCode::invalid_argument);
  EXPECT_TRUE(test.samples().empty());
}

TEST(SequentialTest, SnapshotTellsWhatIsKnownSoFar) {
  SequentialTest test = start();
  EXPECT_EQ(test.snapshot().pairs, 0U);
  ASSERT_TRUE(test.add({0.02, RunOrder::baseline_first}));
  ASSERT_TRUE(test.add({0.04, RunOrder::candidate_first}));
  const SequentialDecision snapshot = test.snapshot();
  EXPECT_EQ(snapshot.verdict, TestVerdict::inconclusive);
  EXPECT_EQ(snapshot.pairs, 2U);
  EXPECT_DOUBLE_EQ(snapshot.reward.estimate, 0.03);
}

TEST(TestVerdict, NamesAreThoseOnTheWire) {
  for (const char* name :
       {"faster", "slower", "no_change", "within_noise", "inconclusive", "too_noisy"}) {
    ASSERT_TRUE(verdict_from_string(name)) << name;
    EXPECT_EQ(to_string(*verdict_from_string(name)), name);
  }
  EXPECT_FALSE(verdict_from_string("no-change"));
}

}  // namespace
}  // namespace hone
