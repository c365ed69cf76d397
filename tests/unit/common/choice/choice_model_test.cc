#include "common/choice/choice_model.h"

#include <random>

#include <gtest/gtest.h>

namespace hone {
namespace {

const std::string kHead = "choice 1|clang 19|features 1|member default<O3>";
const std::string kTwo = kHead + "|member default<O3>,function(gvn)|knob unroll-runtime false";

std::string wrong(const std::string& text) {
  ChoiceModel model;
  return parse_choice(text, model);
}

TEST(ChoiceModel, ReadsWhatItPrints) {
  const std::string text = kTwo + "|split 56 100 1 2|leaf 0|split 4 7 3 4|leaf 1|leaf 0";
  ChoiceModel model;
  ASSERT_EQ(parse_choice(text, model), "");
  EXPECT_EQ(model.compiler_major, 19);
  ASSERT_EQ(model.members.size(), 2U);
  EXPECT_EQ(model.members[1].knobs, (std::vector<ChoiceKnob>{{"unroll-runtime", "false"}}));
  ASSERT_EQ(model.nodes.size(), 5U);
  EXPECT_EQ(print_choice(model), text);
}

TEST(ChoiceModel, ASplitGoesByLessThan) {
  ChoiceModel model;
  ASSERT_EQ(parse_choice(kTwo + "|split 56 100 1 2|leaf 1|leaf 0", model), "");
  ChoiceFeatures features{};
  features[56] = 99;
  EXPECT_EQ(choose_member(model, features), 1U);
  features[56] = 100;
  EXPECT_EQ(choose_member(model, features), 0U);
}

TEST(ChoiceModel, EveryPartMustBeRight) {
  EXPECT_EQ(wrong(kHead + "|leaf 0"), "");
  for (const char* bad : {
           "",
           "choice 2|clang 19|features 1|member default<O3>|leaf 0",
           "choice 1|gcc 12|features 1|member default<O3>|leaf 0",
           "choice 1|clang 019|features 1|member default<O3>|leaf 0",
           "choice 1|clang 19|features 2|member default<O3>|leaf 0",
           "choice 1|clang 19|features 1|leaf 0",
           "choice 1|clang 19|features 1|member default<O3>",
           "choice 1|clang 19|features 1|member default<O3>,gvn|leaf 0",
           "choice 1|clang 19|features 1|member function(gvn)|leaf 0",
           "choice 1|clang 19|features 1|member default<O3>|knob a 1|leaf 0",
           "choice 1|clang 19|features 1|knob a 1|member default<O3>|leaf 0",
       }) {
    EXPECT_NE(wrong(bad), "") << bad;
  }
  for (const char* tail : {
           "|leaf 1",
           "|leaf -1",
           "|leaf",
           "|leaf 00",
           "|leaf 0 ",
           "|leaf 0|",
           "||leaf 0",
           "|split 0 1 1 2|leaf 0",
           "|split 0 1 0 1|leaf 0",
           "|split 252 1 1 2|leaf 0|leaf 0",
           "|split 0 -1 1 2|leaf 0|leaf 0",
           "|split 0 1 1|leaf 0|leaf 0",
           "|split 0 99999999999999999999 1 2|leaf 0|leaf 0",
           "|split 0 1 1 2 3|leaf 0|leaf 0",
           "|knob |leaf 0",
           "|knob a|leaf 0",
           "|knob a b c|leaf 0",
           "|member |leaf 0",
           "|member a b|leaf 0",
           "|leaf 0|member default<O3>",
           "|leaf 0|knob a b",
           "|other 1|leaf 0",
       }) {
    EXPECT_NE(wrong(kHead + tail), "") << tail;
  }
  EXPECT_NE(wrong(kHead + "|leaf 0\n"), "");
  EXPECT_NE(wrong(kHead + "|leaf 0" + std::string(1, '\0')), "");
}

TEST(ChoiceModel, SaysWhichPartIsWrong) {
  EXPECT_EQ(wrong(kHead + "|leaf 3"), "part 5 (\"leaf 3\") must have a member's number");
}

TEST(ChoiceModel, HasLimits) {
  std::string members = kHead;
  for (std::size_t i = 1; i < kMaxChoiceMembers; ++i) {
    members += "|member function(gvn)";
  }
  EXPECT_EQ(wrong(members + "|leaf 0"), "");
  EXPECT_NE(wrong(members + "|member function(gvn)|leaf 0"), "");
  std::string leaves = kHead;
  for (std::size_t i = 0; i < kMaxChoiceNodes; ++i) {
    leaves += "|leaf 0";
  }
  EXPECT_EQ(wrong(leaves), "");
  EXPECT_NE(wrong(leaves + "|leaf 0"), "");
  std::string knobs = kHead + "|member default<O3>";
  for (std::size_t i = 0; i < kMaxChoiceKnobs; ++i) {
    knobs += "|knob a 1";
  }
  EXPECT_EQ(wrong(knobs + "|leaf 0"), "");
  EXPECT_NE(wrong(knobs + "|knob a 1|leaf 0"), "");
  EXPECT_NE(wrong(kHead + "|member " + std::string(kMaxChoiceBytes, 'a') + "|leaf 0"), "");
}

TEST(ChoiceModel, ADamagedTextIsRefusedOrStillAModel) {
  const std::string text = kTwo + "|split 56 100 1 2|leaf 0|split 4 7 3 4|leaf 1|leaf 0";
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::string damaged = text;
    for (int j = 0; j < 3; ++j) {
      damaged[random() % damaged.size()] = static_cast<char>(random());
    }
    damaged.resize(damaged.size() - random() % 8);
    ChoiceModel model;
    if (parse_choice(damaged, model).empty()) {
      EXPECT_LT(choose_member(model, ChoiceFeatures{}), model.members.size());
      EXPECT_EQ(print_choice(model), damaged);
    }
  }
}

}  // namespace
}  // namespace hone
