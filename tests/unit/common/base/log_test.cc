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

TEST(Log, BytesThatAreNoTextAreReplaced) {
  const std::string line = logged(LogLevel::info, "x", {{"said", "a\xff\xc3z"}, {"city", "Köln"}});
  EXPECT_NE(line.find("\"said\":\"a\uFFFD\uFFFDz\",\"city\":\"Köln\""), std::string::npos) << line;
}

TEST(Log, NumbersThatJsonLacksAreNull) {
  EXPECT_NE(logged(LogLevel::info, "x", {{"value", std::nan("")}}).find("\"value\":null"),
            std::string::npos);
}

TEST(Log, LinesBelowTheLevelAreDropped) {
  EXPECT_EQ(logged(LogLevel::debug, "x", {}), "");
  EXPECT_NE(logged(LogLevel::error, "x", {}), "");
}

TEST(Log, ALineSaysWhichRequestItIsOf) {
  testing::internal::CaptureStderr();
  log(LogLevel::info, LogContext{"r-1", "t", ""}, "x", {{"job", "j"}});
  const std::string line = testing::internal::GetCapturedStderr();
  EXPECT_NE(line.find(R"("event":"x","job":"j","request":"r-1","trace_id":"t"})"),
            std::string::npos)
      << line;
}

TEST(Log, AScopesFieldsAreOnEveryLineAndTheInnermostCounts) {
  const LogScope outer({{"job", "a"}, {"trace_id", "t"}, {"empty", ""}});
  {
    const LogScope inner({{"job", "b"}});
    EXPECT_NE(logged(LogLevel::info, "x", {}).find(R"("event":"x","trace_id":"t","job":"b"})"),
              std::string::npos);
    EXPECT_NE(logged(LogLevel::info, "x", {{"job", "own"}})
                  .find(R"("event":"x","job":"own","trace_id":"t"})"),
              std::string::npos);
  }
  EXPECT_NE(logged(LogLevel::info, "x", {}).find(R"("event":"x","job":"a","trace_id":"t"})"),
            std::string::npos);
}

TEST(Log, AsTextForPeople) {
  set_log_format(LogFormat::text);
  const std::string line =
      logged(LogLevel::warning, "x", {{"job", "a-b"}, {"why", "no \"room\""}, {"count", 3}});
  set_log_format(LogFormat::json);
  EXPECT_NE(line.find(R"(Z warning x job=a-b why="no \"room\"" count=3)"), std::string::npos)
      << line;
}

TEST(Log, SecretsAreBlottedOut) {
  const std::string token = "hone_" + std::string(64, 'a');
  const std::vector<std::string> texts = {token,
                                          "Authorization: Bearer " + token,
                                          "token " + token + " is bad",
                                          "cannot connect to postgresql://hone:hunter2@db/hone?x=1",
                                          "password=hunter2 user=x",
                                          "host=a PASSWORD='hunter2 x' b",
                                          "-----BEGIN PRIVATE KEY-----\nhunter2\n"};
  for (const std::string& text : texts) {
    const std::string line = logged(LogLevel::info, "x", {{"reason", text}});
    EXPECT_EQ(line.find("hunter2"), std::string::npos) << line;
    EXPECT_EQ(line.find("aaaaaaaa"), std::string::npos) << line;
  }
  EXPECT_EQ(without_secrets("postgresql://hone:hunter2@db/hone"), "postgresql://hone:***@db/hone");
}

TEST(Log, WhatIsNoSecretStays) {
  for (const char* text : {"http://127.0.0.1:7077/v1/jobs?x=a@b", "hone_queue", "hone_abc",
                           "https://host/a:b", "see http://a and http://b:1"}) {
    EXPECT_EQ(without_secrets(text), text);
  }
}

}  // namespace
}  // namespace hone
