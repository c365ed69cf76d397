#include "common/policy/decision_hash.h"

#include <gtest/gtest.h>

#include "common/base/hash.h"
#include "common/pipelines/forest.h"

namespace hone {
namespace {

TEST(DecisionHash, WithoutKnobsIsThePipelinesOwn) {
  EXPECT_EQ(*decision_hash({"function(sroa)", {}}), to_hex(*pipeline_hash("function(sroa)")));
}

TEST(DecisionHash, DoesNotDependOnSpellingOrOrderOfKnobs) {
  const Decision one{"function(sroa , gvn)", {{"a", "1"}, {"b", "2"}}};
  const Decision other{"function(sroa,gvn)", {{"b", "2"}, {"a", "1"}}};
  EXPECT_EQ(*decision_hash(one), *decision_hash(other));
}

TEST(DecisionHash, TellsKnobsAndPipelinesApart) {
  const std::string plain = *decision_hash({"function(sroa)", {}});
  const std::string knob = *decision_hash({"function(sroa)", {{"a", "1"}}});
  EXPECT_NE(plain, knob);
  EXPECT_NE(knob, *decision_hash({"function(sroa)", {{"a", "2"}}}));
  EXPECT_NE(knob, *decision_hash({"function(gvn)", {{"a", "1"}}}));
}

TEST(DecisionHash, TellsChoicesApart) {
  Decision one;
  one.choice = "choice 1|clang 19|features 1|member default<O3>|leaf 0";
  Decision other = one;
  other.choice += "|leaf 0";
  EXPECT_NE(*decision_hash(one), *decision_hash(other));
  EXPECT_NE(*decision_hash(one), *decision_hash(Decision{}));
}

TEST(DecisionHash, RefusesWhatIsNoPipeline) {
  EXPECT_FALSE(decision_hash({"function(sroa", {}}).has_value());
}

}  // namespace
}  // namespace hone
