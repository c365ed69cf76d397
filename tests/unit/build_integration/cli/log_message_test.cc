#include "build_integration/cli/log_message.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(LogMessage, WhatTheProgramSaysOfItselfComesFirst) {
  EXPECT_EQ(last_log_message("honed: port taken\n{\"level\":\"error\",\"event\":\"x\"}\n"
                             "the first token is in DIR\n",
                             "honed"),
            "port taken");
}

TEST(LogMessage, LastErrorCountsNotLastLine) {
  EXPECT_EQ(
      last_log_message("{\"level\":\"error\",\"event\":\"stopped\",\"message\":\"port taken\"}\n"
                       "{\"level\":\"info\",\"event\":\"bye\"}\n",
                       "honed"),
      "port taken");
}

TEST(LogMessage, EventStandsForAMissingMessage) {
  EXPECT_EQ(last_log_message("{\"level\":\"error\",\"event\":\"no_disk\"}", "honed"), "no_disk");
}

TEST(LogMessage, WithoutErrorsTheLastLine) {
  EXPECT_EQ(last_log_message("first\nsecond\n\n", "honed"), "second");
  EXPECT_EQ(last_log_message("", "honed"), "");
}

}  // namespace
}  // namespace hone
