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

TEST(LogMessage, LinesThatBelongToItComeAlong) {
  EXPECT_EQ(last_log_message("hone-worker: bad settings\n  /slots: too many\n  /cpus: too few\n"
                             "{\"level\":\"info\",\"event\":\"x\"}\n  no part of it\n",
                             "hone-worker"),
            "bad settings\n  /slots: too many\n  /cpus: too few");
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

TEST(LogMessage, WithoutErrorsTheLastLineThatIsNoneOfTheLog) {
  EXPECT_EQ(last_log_message("first\nsecond\n\n", "honed"), "second");
  EXPECT_EQ(last_log_message("terminate called\n{\"level\":\"info\",\"event\":\"x\"}\n", "honed"),
            "terminate called");
  EXPECT_EQ(last_log_message("", "honed"), "");
}

TEST(LogMessage, AnOrdinaryLineOfTheLogIsNoReason) {
  EXPECT_EQ(last_log_message("{\"level\":\"info\",\"event\":\"migration_applied\"}\n", "honed"),
            "");
  EXPECT_EQ(last_log_message("2026-11-29T07:00:00.000Z info    started data=/x\n", "honed"), "");
}

TEST(LogMessage, ErrorsOfALogInTextAreFound) {
  EXPECT_EQ(last_log_message("2026-11-29T07:00:00.000Z error   no_disk reason=full\n"
                             "2026-11-29T07:00:00.000Z info    stopped\n",
                             "honed"),
            "no_disk reason=full");
}

}  // namespace
}  // namespace hone
