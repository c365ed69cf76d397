#include "staging/runner/metric_pattern.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(MetricPattern, FindsTheNumberAndCutsItOut) {
  const Result<MetricPattern> pattern = MetricPattern::create("speed: ([0-9.e+]+) MB/s");
  ASSERT_TRUE(pattern.has_value());
  const auto metric = pattern->find("hello\nspeed: 1.25e+2 MB/s\nspeed: 3 MB/s\n");
  ASSERT_TRUE(metric.has_value());
  EXPECT_DOUBLE_EQ(metric->value, 125);
  EXPECT_EQ(metric->rest, "hello\nspeed:  MB/s\nspeed: 3 MB/s\n");
}

TEST(MetricPattern, FindsNothingWhereNoNumberIs) {
  const Result<MetricPattern> pattern = MetricPattern::create("t=(.*)$");
  ASSERT_TRUE(pattern.has_value());
  for (const char* text : {"", "x", "t=", "t=fast", "t=1.5 s", "t=nan", "t=inf", "t=1e999"}) {
    EXPECT_FALSE(pattern->find(text).has_value()) << text;
  }
  EXPECT_DOUBLE_EQ(pattern->find("t=-2")->value, -2);
  EXPECT_DOUBLE_EQ(pattern->find("t=+2")->value, 2);
}

TEST(MetricPattern, RefusesWhatIsNoPatternWithAGroup) {
  EXPECT_EQ(MetricPattern::create("(").error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(MetricPattern::create("[0-9]+").error().code, ErrorCode::invalid_argument);
}

// std::regex recurses once per character: 10 MB in one line would overflow the stack.
TEST(MetricPattern, SurvivesAVeryLongLineAndSaysHowMuchItLookedAt) {
#if defined(HONE_SANITIZED)
  GTEST_SKIP() << "std::regex recurses, and a sanitizer's frames are larger than any stack allows";
#endif
  for (const char* const text : {"(a|b)*c", "(a|x)*y ([0-9]+)"}) {
    const Result<MetricPattern> pattern = MetricPattern::create(text);
    ASSERT_TRUE(pattern.has_value());
    const Result<PrintedMetric> metric = pattern->find(std::string(10'000'000, 'a'));
    ASSERT_FALSE(metric.has_value()) << text;
    EXPECT_EQ(metric.error().code, ErrorCode::not_found) << text;
    EXPECT_NE(metric.error().message.find("only the first 4096 bytes"), std::string::npos)
        << metric.error().message;
    EXPECT_NE(metric.error().message.find("10000000"), std::string::npos);
  }
}

// Of groups within groups, each letter takes a call for every one of them: some 200 MB of stack for
// this line.
TEST(MetricPattern, GivesUpOnAPatternThatGoesTooDeep) {
#if defined(HONE_SANITIZED)
  GTEST_SKIP() << "std::regex recurses, and a sanitizer's frames are larger than any stack allows";
#endif
  constexpr int kGroups = 250;
  const Result<MetricPattern> pattern =
      MetricPattern::create(std::string(kGroups, '(') + "a" + std::string(kGroups, ')') + "*c");
  ASSERT_TRUE(pattern.has_value());
  const Result<PrintedMetric> metric = pattern->find(std::string(10'000'000, 'a'));
  ASSERT_FALSE(metric.has_value());
  EXPECT_EQ(metric.error().code, ErrorCode::too_large);
  EXPECT_NE(metric.error().message.find("64 MiB of stack"), std::string::npos)
      << metric.error().message;
}

// Twice as many ways to match nothing with every group, on a line without a letter.
TEST(MetricPattern, GivesUpOnAPatternThatExplodesWithoutReadingAnything) {
  std::string ways;
  for (int i = 0; i < 60; ++i) {
    ways += "(?:|)";
  }
  const Result<MetricPattern> pattern = MetricPattern::create(ways + "(a)");
  ASSERT_TRUE(pattern.has_value());
  const Result<PrintedMetric> metric = pattern->find("\n5\n");
  ASSERT_FALSE(metric.has_value());
  EXPECT_EQ(metric.error().code, ErrorCode::timed_out);
  EXPECT_NE(metric.error().message.find("too many steps"), std::string::npos);
}

// Without a limit this line alone would take years.
TEST(MetricPattern, GivesUpOnAPatternThatExplodes) {
  const Result<MetricPattern> pattern = MetricPattern::create("^(a+)+$|([0-9]+) MB");
  ASSERT_TRUE(pattern.has_value());
  const Result<PrintedMetric> metric = pattern->find(std::string(60, 'a') + "!\n5 MB/s\n");
  ASSERT_FALSE(metric.has_value());
  EXPECT_EQ(metric.error().code, ErrorCode::timed_out);
  EXPECT_NE(metric.error().message.find("too many steps"), std::string::npos);
}

}  // namespace
}  // namespace hone
