#include "common/base/log.h"

#include <cmath>

#include <gtest/gtest.h>

namespace hone {
namespace {

std::string logged(LogLevel level, std::string_view event, LogFields fields) {
  testing::internal::CaptureStderr();
  log(level, event, fields);
  return testing::internal::GetCapturedStderr();
}

TEST(Log, OneJsonObjectALine) {
  const std::string line = logged(LogLevel::info, "lease_granted",
                                  {{"job", "a"}, {"count", 3}, {"share", 0.5}, {"first", true}});
  EXPECT_EQ(line.find("{\"time\":\""), 0U) << line;
  EXPECT_NE(
      line.find(
          R"("level":"info","event":"lease_granted","job":"a","count":3,"share":0.5,"first":true})"),
      std::string::npos)
      << line;
  EXPECT_EQ(line.find('\n'), line.size() - 1);
}

TEST(Log, TextCannotBreakOutOfItsField) {
  const std::string line = logged(LogLevel::info, "x", {{"name", "a\"},{\n\\{}\x01"}});
  EXPECT_NE(line.find(R"("name":"a\"},{\u000a\\{}\u0001"})"), std::string::npos) << line;
}

TEST(Log, NumbersThatJsonLacksAreNull) {
  EXPECT_NE(logged(LogLevel::info, "x", {{"value", std::nan("")}}).find("\"value\":null"),
            std::string::npos);
}

TEST(Log, LinesBelowTheLevelAreDropped) {
  EXPECT_EQ(logged(LogLevel::debug, "x", {}), "");
  EXPECT_NE(logged(LogLevel::error, "x", {}), "");
}

}  // namespace
}  // namespace hone
