#include "common/client/log_card.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace hone {
namespace {

class LogCardTest : public ::testing::Test {
 protected:
  void add(const std::string& episode, const Json& also) {
    Json line = {{"episode", episode},
                 {"program", "p1"},
                 {"start", "open"},
                 {"at", "2026-01-02T03:04:05.000Z"},
                 {"machine",
                  {{"host", "secret-host"},
                   {"cpu_model", "a processor"},
                   {"cpus", 2},
                   {"memory_mib", 4096},
                   {"kernel", "Linux 6"}}},
                 {"compiler", "LLVM 19.1.7"}};
    line.update(also);
    const Result<void> added = card_.add(dump_json(line));
    ASSERT_TRUE(added) << added.error().describe();
  }
  void step(const std::string& episode, const std::string& from, const std::string& to,
            const Json& also = Json::object()) {
    Json line = {{"kind", "step"},
                 {"state", from},
                 {"next_state", to},
                 {"applied", 1},
                 {"outcome", "ok"},
                 {"pipelines", {"function(sroa)"}},
                 {"rewards", {{"IrInstructionCount", 1}}}};
    line.update(also);
    add(episode, line);
  }
  void end(const std::string& episode, int entries, int dropped = 0) {
    add(episode, {{"kind", "end"}, {"entries", entries}, {"dropped", dropped}});
  }
  void expect_row(const std::string& name, int count) {
    const std::string row = "| " + name + " | " + std::to_string(count) + " |\n";
    EXPECT_NE(card_.markdown().find(row), std::string::npos) << row << card_.markdown();
  }

  LogCard card_;
};

TEST_F(LogCardTest, CountsWhatIsThere) {
  add("a", {{"kind", "begin"}, {"next_state", "s0"}});
  step("a", "s0", "s1", {{"features", {{"InstCount", {1, 2}}}}, {"log_propensities", {-1}}});
  step("a", "s1", "s1", {{"outcome", "crashed"}, {"applied", 0}});
  end("a", 4);
  add("b", {{"kind", "begin"},
            {"next_state", "s0"},
            {"start", "fork"},
            {"program", "p2"},
            {"at", "2026-01-01T00:00:00.000Z"}});
  step("b", "s0", "s1");
  step("b", "s0", "s1", {{"program", "p2"}});
  end("b", 9, 2);
  step("c", "s1", "s2", {{"pipelines", {"globaldce", "function(a|b)"}}, {"applied", 2}});
  expect_row("lines", 9);
  expect_row("programs", 2);
  expect_row("episodes", 3);
  expect_row("episodes that are complete", 1);
  expect_row("episodes that are incomplete: lines are missing", 1);
  expect_row("episodes without an end: under way when it was written, or cut off", 1);
  expect_row("lines known to be lost", 2);
  expect_row("steps", 5);
  expect_row("different transitions", 4);
  expect_row("states", 3);
  expect_row("different actions (pipelines)", 3);
  expect_row("episodes that began by fork", 1);
  expect_row("crashed", 1);
  expect_row("ok", 4);
  expect_row("IrInstructionCount", 5);
  expect_row("InstCount", 1);
  expect_row("function(sroa)", 4);
  expect_row("function(a\\|b)", 1);
  expect_row("a processor, 2 processors, 4096 MiB, Linux 6", 3);
  expect_row("LLVM 19.1.7", 3);
  const std::string text = card_.markdown();
  EXPECT_NE(text.find("1 of 5 steps have them"), std::string::npos) << text;
  EXPECT_NE(text.find("from 2026-01-01T00:00:00.000Z to 2026-01-02T03:04:05.000Z"),
            std::string::npos);
  EXPECT_NE(text.find("## Licence\n\nUnknown."), std::string::npos);
  EXPECT_EQ(text.find("secret-host"), std::string::npos);
}

TEST_F(LogCardTest, AnEmptyLogHasOneToo) {
  EXPECT_NE(card_.markdown().find("It is empty."), std::string::npos);
  expect_row("episodes", 0);
}

TEST_F(LogCardTest, WhatIsNoLineIsRefused) {
  EXPECT_EQ(card_.add("nonsense").error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(card_.add("[1]").error().code, ErrorCode::invalid_argument);
  const Result<void> bare = card_.add(R"({"kind": "step", "at": "x"})");
  ASSERT_FALSE(bare);
  EXPECT_EQ(bare.error().fields.at(0).pointer, "/episode");
  EXPECT_EQ(card_.lines(), 0U);
}

}  // namespace
}  // namespace hone
