#include "build_integration/cli/log_message.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(LogMessage, LastErrorCountsNotLastLine) {
  EXPECT_EQ(
      last_log_message("{\"level\":\"error\",\"event\":\"stopped\",\"message\":\"port taken\"}\n"
                       "{\"level\":\"info\",\"event\":\"bye\"}\n"),
      "port taken");
}

TEST(LogMessage, EventStandsForAMissingMessage) {
  EXPECT_EQ(last_log_message("{\"level\":\"error\",\"event\":\"no_disk\"}"), "no_disk");
}

TEST(LogMessage, PlainLinesAreTakenAsTheyAre) {
  EXPECT_EQ(last_log_message("honed: --listen: bad address\n\n"), "honed: --listen: bad address");
}

TEST(LogMessage, WithoutErrorsTheLastLine) {
  EXPECT_EQ(last_log_message("{\"level\":\"info\",\"event\":\"a\"}\n"),
            "{\"level\":\"info\",\"event\":\"a\"}");
  EXPECT_EQ(last_log_message(""), "");
}

}  // namespace
}  // namespace hone
