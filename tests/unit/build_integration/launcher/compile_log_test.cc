#include "build_integration/launcher/compile_log.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/base/file.h"
#include "common/base/text.h"
#include "common/json/document.h"

namespace hone {
namespace {

CompileRecord tuned_record() {
  CompileRecord record;
  record.source = "src/a.cc";
  record.output = "out/a.o";
  record.pipeline_hash = "0123456789abcdef0123456789abcdef";
  record.compiled = "tuned";
  record.compiler = "/usr/bin/clang++-19";
  record.compiler_major = 19;
  record.cpu_seconds = 1.25;
  record.option_fingerprint = "f";
  return record;
}

TEST(CompileLog, ALineIsAnObjectWithItsFields) {
  const std::string line = print_record(tuned_record());
  EXPECT_EQ(line.back(), '\n');
  const Json document = *parse_json(line);
  EXPECT_EQ(document.at("source"), "src/a.cc");
  EXPECT_EQ(document.at("compiled"), "tuned");
  EXPECT_EQ(document.at("tuned"), true);
  EXPECT_EQ(document.at("meant"), true);
  EXPECT_EQ(document.at("reason"), "none");
  EXPECT_EQ(document.at("compiler_major"), 19);
  EXPECT_EQ(document.at("cpu_seconds"), 1.25);
  EXPECT_FALSE(document.contains("failure"));
}

TEST(CompileLog, AFailureHasItsKind) {
  CompileRecord record = tuned_record();
  record.compiled = "plain";
  record.reason = record.failure = Reason::timed_out;
  const Json document = *parse_json(print_record(record));
  EXPECT_EQ(document.at("failure"), "timed_out");
  EXPECT_EQ(document.at("tuned"), false);
  EXPECT_EQ(document.at("meant"), true);
}

TEST(CompileLog, WhatTheRuleKeepsPlainWasNotMeant) {
  CompileRecord record = tuned_record();
  record.compiled = "plain";
  record.reason = Reason::rule_says_plain;
  EXPECT_EQ(parse_json(print_record(record))->at("meant"), false);
}

TEST(CompileLog, AnyBytesAreAText) {
  CompileRecord record = tuned_record();
  for (int byte = 1; byte < 256; ++byte) {
    record.source = std::string("a") + static_cast<char>(byte) + "b";
    const auto document = parse_json(print_record(record));
    ASSERT_TRUE(document.has_value()) << byte << ": " << document.error().describe();
    if (byte < 0x80) {
      EXPECT_EQ(document->at("source"), record.source);
    }
  }
  for (const char* text : {"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80", "\"quoted\\\n"}) {
    record.source = text;
    EXPECT_EQ(parse_json(print_record(record))->at("source"), text);
  }
  for (const char* text : {"\xed\xa0\x80", "\xc0\x80", "\xf5\x80\x80\x80", "\xe2\x82"}) {
    record.source = text;  // surrogates, overlong forms, past the end, cut off
    EXPECT_TRUE(parse_json(print_record(record)).has_value());
  }
}

TEST(CompileLog, AChoiceSaysWhichMember) {
  CompileRecord record = tuned_record();
  EXPECT_FALSE(parse_json(print_record(record))->contains("choice"));
  record.choice = 2;
  EXPECT_EQ(parse_json(print_record(record))->at("choice"), 2);
}

TEST(CompileLog, LinesAreAppended) {
  const TemporaryFolder folder = *TemporaryFolder::create("compile-log-test");
  const StateFolder state((folder.path() / "state").string());
  log_compile(state, tuned_record());
  log_compile(state, tuned_record());
  const std::string log = *read_file(folder.path() / "state" / "compiles.ndjson", 1U << 20U);
  EXPECT_EQ(split(log, '\n').size(), 3U);
}

}  // namespace
}  // namespace hone
