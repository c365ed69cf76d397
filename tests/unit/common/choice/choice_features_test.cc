#include "common/choice/choice_features.h"

#include <limits>

#include <gtest/gtest.h>

namespace hone {
namespace {

struct Numbers {
  std::array<std::int64_t, kChoiceAutophase> autophase{};
  std::array<std::int64_t, kChoiceInstCount> inst_count{};
};

TEST(ChoiceFeatures, CountsComeFirstThenTheSamePer65536Instructions) {
  Numbers numbers;
  numbers.autophase[3] = 7;
  numbers.inst_count[0] = 10;
  numbers.inst_count[5] = 3;
  const ChoiceFeatures features = choice_features(numbers.autophase, numbers.inst_count);
  EXPECT_EQ(features[3], 7);
  EXPECT_EQ(features[kChoiceAutophase], 10);
  EXPECT_EQ(features[kChoiceAutophase + 5], 3);
  EXPECT_EQ(features[kChoiceCounts + 3], 7 * 65536 / 10);
  EXPECT_EQ(features[kChoiceCounts + kChoiceAutophase], 65536);
  EXPECT_EQ(features[kChoiceCounts + kChoiceAutophase + 5], 19660) << "rounded down";
}

TEST(ChoiceFeatures, AnEmptyModuleAndImpossibleCountsAreNoTrouble) {
  Numbers numbers;
  EXPECT_EQ(choice_features(numbers.autophase, numbers.inst_count), ChoiceFeatures{});
  numbers.inst_count[0] = std::numeric_limits<std::int64_t>::max();
  numbers.inst_count[1] = -5;
  const ChoiceFeatures features = choice_features(numbers.autophase, numbers.inst_count);
  EXPECT_EQ(features[kChoiceCounts + kChoiceAutophase], 65536);
  EXPECT_EQ(features[kChoiceAutophase + 1], 0);
}

TEST(ChoiceFeatures, HaveNamesForPeople) {
  EXPECT_EQ(choice_feature_text(3), "Autophase 3");
  EXPECT_EQ(choice_feature_text(kChoiceCounts + kChoiceAutophase + 2), "InstCount 2 per 65536");
}

}  // namespace
}  // namespace hone
