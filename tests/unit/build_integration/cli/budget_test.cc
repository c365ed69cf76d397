#include "build_integration/cli/budget.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(Budget, PlainNumberCountsCandidates) {
  const Result<Budget> budget = parse_budget("20");
  ASSERT_TRUE(budget.has_value());
  EXPECT_EQ(budget->candidates, 20);
  EXPECT_FALSE(budget->seconds.has_value());
}

TEST(Budget, UnitsMakeATime) {
  EXPECT_EQ(parse_budget("90s")->seconds, 90);
  EXPECT_EQ(parse_budget("20m")->seconds, 1200);
  EXPECT_EQ(parse_budget("1h30m")->seconds, 5400);
  EXPECT_FALSE(parse_budget("20m")->candidates.has_value());
}

TEST(Budget, WhatIsOutOfRangeIsRefused) {
  for (const char* text : {"0", "10001", "9s", "169h", "-5", "99999999999999999999"}) {
    const Result<Budget> budget = parse_budget(text);
    ASSERT_FALSE(budget.has_value()) << text;
    EXPECT_EQ(budget.error().code, ErrorCode::invalid_argument);
    EXPECT_NE(budget.error().message.find(text), std::string::npos);
  }
}

TEST(Budget, WhatIsNoTimeIsRefused) {
  for (const char* text : {"", "m", "20 m", "20x", "20m1h", "5m5m", "1.5h", "20min", "+20s"}) {
    EXPECT_FALSE(parse_budget(text).has_value()) << text;
  }
}

TEST(Duration, ZeroIsATime) {
  EXPECT_EQ(parse_duration("0s")->count(), 0);
}

TEST(ClockText, HoursOnlyWhenThereAreAny) {
  EXPECT_EQ(clock_text(std::chrono::seconds(48)), "0:48");
  EXPECT_EQ(clock_text(std::chrono::seconds(725)), "12:05");
  EXPECT_EQ(clock_text(std::chrono::seconds(3723)), "1:02:03");
  EXPECT_EQ(clock_text(std::chrono::seconds(-1)), "0:00");
}

}  // namespace
}  // namespace hone
