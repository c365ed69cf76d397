#include "common/policy/timestamp.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(Timestamp, ReadsWhatItWrites) {
  for (const std::int64_t seconds : {0L, 1L, 951782400L, 1764285182L, 4102444800L, -1L}) {
    EXPECT_EQ(parse_timestamp(format_timestamp(seconds)), seconds) << seconds;
  }
}

TEST(Timestamp, WritesKnownDates) {
  EXPECT_EQ(format_timestamp(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(format_timestamp(951868799), "2000-02-29T23:59:59Z");
}

TEST(Timestamp, ReadsOffsetsAndFractions) {
  EXPECT_EQ(parse_timestamp("1970-01-01T01:00:00+01:00"), 0);
  EXPECT_EQ(parse_timestamp("1969-12-31T23:30:00.25-00:30"), 0);
}

TEST(Timestamp, RefusesOtherTexts) {
  for (const char* text : {"", "1970-01-01", "1970-01-01T00:00:00", "1970-02-30T00:00:00Z",
                           "1970-13-01T00:00:00Z", "1970-01-01T24:00:00Z", "70-01-01T00:00:00Z",
                           "1970-01-01T00:00:00Zx", "1970-01-01T00:00:00+1:00"}) {
    EXPECT_FALSE(parse_timestamp(text)) << text;
  }
}

}  // namespace
}  // namespace hone
