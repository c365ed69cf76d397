#include "build_integration/cli/deadline.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

constexpr std::int64_t kNow = 1'795'953'600;  // 2026-11-29T12:00:00Z

TEST(Deadline, IsADurationOrATime) {
  EXPECT_EQ(parse_deadline("1h30m", kNow)->count(), 5400);
  EXPECT_EQ(parse_deadline("5400", kNow)->count(), 5400);
  EXPECT_EQ(parse_deadline("2026-11-29T12:00:01Z", kNow)->count(), 1);
  EXPECT_EQ(parse_deadline("2026-11-29T14:00:00+01:00", kNow)->count(), 3600);
}

TEST(Deadline, OtherTextsAreRefusedByName) {
  for (const char* text :
       {"", "tomorrow", "0", "-5", "20x", "31536001", "0s", "2026-11-29T12:00:00Z",
        "2026-11-28T12:00:00Z", "2027-12-01T12:00:00Z", "9999h"}) {
    const Result<std::chrono::seconds> left = parse_deadline(text, kNow);
    ASSERT_FALSE(left.has_value()) << text;
    EXPECT_EQ(left.error().code, ErrorCode::invalid_argument);
    EXPECT_NE(left.error().message.find("\"" + std::string(text) + "\""), std::string::npos);
    EXPECT_NE(left.error().message.find("20m"), std::string::npos) << "says what would be right";
  }
}

}  // namespace
}  // namespace hone
