#include "build_integration/cli/verdict_words.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(VerdictWords, BetterAndWorseAreSaidOfWhatWasMeasured) {
  EXPECT_EQ(verdict_word(Verdict::faster, Metric::cpu_time), "faster");
  EXPECT_EQ(verdict_word(Verdict::slower, Metric::wall_time), "slower");
  EXPECT_EQ(verdict_word(Verdict::faster, Metric::text_bytes), "smaller");
  EXPECT_EQ(verdict_word(Verdict::slower, Metric::binary_bytes), "larger");
  EXPECT_EQ(verdict_word(Verdict::faster, Metric::peak_rss_bytes), "smaller");
  EXPECT_EQ(verdict_word(Verdict::faster, Metric::instructions), "fewer");
  EXPECT_EQ(verdict_word(Verdict::slower, Metric::cycles), "more");
  EXPECT_EQ(verdict_word(Verdict::faster, Metric::energy), "less");
  EXPECT_EQ(verdict_word(Verdict::faster, Metric::printed), "better");
  EXPECT_EQ(verdict_word(Verdict::slower, Metric::printed), "worse");
}

TEST(VerdictWords, TheOthersAreAsOnTheWire) {
  EXPECT_EQ(verdict_word(Verdict::no_change, Metric::text_bytes), "no_change");
  EXPECT_EQ(verdict_word(Verdict::too_noisy, Metric::cpu_time), "too_noisy");
}

TEST(VerdictWords, ValuesHaveTheirUnit) {
  EXPECT_EQ(value_text(Metric::cpu_time, 0.0123), "12.30 ms");
  EXPECT_EQ(value_text(Metric::wall_time, 1.5), "1.500 s");
  EXPECT_EQ(value_text(Metric::peak_rss_bytes, 1048576.0 * 4.25), "4.2 MiB");
  EXPECT_EQ(value_text(Metric::text_bytes, 999), "999 bytes");
  EXPECT_EQ(value_text(Metric::binary_bytes, 1234567), "1,234,567 bytes");
  EXPECT_EQ(value_text(Metric::instructions, 1000), "1,000");
  EXPECT_EQ(value_text(Metric::cycles, 123456), "123,456");
  EXPECT_EQ(value_text(Metric::energy, 2.31), "2.310 J");
  EXPECT_EQ(value_text(Metric::printed, 0.5), "0.5");
}

}  // namespace
}  // namespace hone
