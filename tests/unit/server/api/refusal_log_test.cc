#include "server/api/refusal_log.h"

#include <string>

#include <gtest/gtest.h>

#include "common/base/log.h"

namespace hone {
namespace {

using namespace std::chrono_literals;

class RefusalLogTest : public testing::Test {
 protected:
  RefusalLogTest() { set_log_level(LogLevel::info); }
  ~RefusalLogTest() override { set_log_level(LogLevel::error); }

  // What is logged of one request.
  std::string told(int status, const char* from, std::chrono::seconds when) {
    const auto address = boost::asio::ip::make_address(from);
    const LogContext context{"r-1", "", ""};
    RequestRecord record;
    record.method = "GET";
    record.status = status;
    record.address = &address;
    record.context = &context;
    testing::internal::CaptureStderr();
    log_.note(record, start_ + when);
    return testing::internal::GetCapturedStderr();
  }

  RefusalLog log_;
  RefusalLog::Clock::time_point start_ = RefusalLog::Clock::now();
};

TEST_F(RefusalLogTest, TheFirstAtOnceAndThenOneAMinuteWithTheirCount) {
  const std::string first = told(401, "192.0.2.1", 0s);
  EXPECT_NE(first.find("\"event\":\"request_refused\""), std::string::npos) << first;
  EXPECT_NE(first.find("\"address\":\"192.0.2.1\""), std::string::npos) << first;
  EXPECT_NE(first.find("\"count\":1"), std::string::npos) << first;
  EXPECT_EQ(told(401, "192.0.2.1", 1s), "");
  EXPECT_EQ(told(401, "192.0.2.1", 59s), "");
  EXPECT_NE(told(401, "192.0.2.1", 61s).find("\"count\":3"), std::string::npos);
}

TEST_F(RefusalLogTest, EachAddressAndStatusForItself) {
  EXPECT_NE(told(401, "192.0.2.1", 0s), "");
  EXPECT_NE(told(401, "192.0.2.2", 0s), "");
  EXPECT_NE(told(403, "192.0.2.1", 0s), "");
}

TEST_F(RefusalLogTest, OtherAnswersAreNone) {
  for (const int status : {200, 400, 404, 500}) {
    EXPECT_EQ(told(status, "192.0.2.1", 0s), "");
  }
}

}  // namespace
}  // namespace hone
