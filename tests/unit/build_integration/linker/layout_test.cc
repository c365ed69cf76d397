#include "build_integration/linker/layout.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(Layout, IsTheSameEachTime) {
  EXPECT_EQ(draw_layout("app", 3, 10), draw_layout("app", 3, 10));
}

TEST(Layout, IsAnotherForEveryNumberAndProgram) {
  for (std::size_t one = 1; one < 8; ++one) {
    EXPECT_NE(draw_layout("app", one, 10), draw_layout("ppa", one, 10));
    for (std::size_t other = one + 1; other < 8; ++other) {
      EXPECT_NE(draw_layout("app", one, 10), draw_layout("app", other, 10));
    }
  }
}

TEST(Layout, HasOnePaddingAtMostBeforeAnInputAndAlwaysOneBeforeTheFirst) {
  for (const std::size_t places : {1U, 2U, 15U, 16U, 17U, 1000U}) {
    for (std::size_t number = 1; number < 20; ++number) {
      const std::vector<Padding> layout = draw_layout("app", number, places);
      EXPECT_EQ(layout.size(), std::min<std::size_t>(places, 16));
      EXPECT_EQ(layout.front().place, 0U);
      for (std::size_t i = 1; i < layout.size(); ++i) {
        EXPECT_LT(layout[i - 1].place, layout[i].place);
        EXPECT_LT(layout[i].place, places);
      }
    }
  }
  EXPECT_TRUE(draw_layout("app", 1, 0).empty());
}

TEST(Layout, SizesAreMultiplesOf16AndReachAllOfAPage) {
  std::set<std::size_t> first;
  for (std::size_t number = 1; number < 2000; ++number) {
    for (const Padding& padding : draw_layout("app", number, 3)) {
      for (const PaddingPart& part : padding.parts) {
        EXPECT_EQ(part.bytes % 16, 0U);
        EXPECT_GE(part.bytes, 16U);
        EXPECT_LE(part.bytes, padding.place == 0 ? 4096U : 1024U);
        if (padding.place == 0 && part.section == PaddedSection::text) {
          first.insert(part.bytes);
        }
      }
    }
  }
  EXPECT_EQ(first.size(), 256U);
}

}  // namespace
}  // namespace hone
