#include "worker/build/compile_log.h"

#include <gtest/gtest.h>

#include "common/base/file.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

class CompileLog : public testing::Test {
 protected:
  void SetUp() override {
    Result<TemporaryFolder> made = TemporaryFolder::create("compile-log-test");
    ASSERT_TRUE(made.has_value());
    folder_.emplace(*std::move(made));
    fs::create_directories(build() / "lib");
  }
  fs::path source() const { return folder_->path() / "source"; }
  fs::path build() const { return folder_->path() / "build-s000"; }
  static std::string line(const std::string& source, const std::string& output,
                          const std::string& compiled, const std::string& reason, bool meant,
                          const std::string& more = "") {
    return R"({"time":"2026-11-27T23:13:02.123Z","source":")" + source + R"(","output":")" +
           output + R"(","pipeline_hash":"abc","compiled":")" + compiled + R"(","tuned":)" +
           (compiled == "tuned" ? "true" : "false") + R"(,"meant":)" + (meant ? "true" : "false") +
           R"(,"reason":")" + reason + "\"" + more + "}\n";
  }
  std::vector<CompileLine> read(const std::string& text) {
    EXPECT_TRUE(write_file_atomically(folder_->path() / "log", text).has_value());
    const Result<std::vector<CompileLine>> lines = read_compile_log(folder_->path() / "log");
    EXPECT_TRUE(lines.has_value());
    return *lines;
  }
  void make_object(const std::string& name) {
    EXPECT_TRUE(write_file_atomically(build() / name, "object").has_value());
  }

  std::optional<TemporaryFolder> folder_;
};

TEST_F(CompileLog, NoLogIsNoLines) {
  EXPECT_TRUE(read_compile_log(folder_->path() / "none")->empty());
}

TEST_F(CompileLog, PassesOverLinesThatItCannotRead) {
  EXPECT_EQ(read("garbage\n{\"source\":1}\n\n" + line("a.c", "a.o", "tuned", "none", true)).size(),
            1U);
}

TEST_F(CompileLog, DecisionsAreTheLastOfEachObjectThatExists) {
  make_object("a.o");
  make_object("lib/b.o");
  const std::string absolute = (build() / "a.o").string();
  const auto decisions = effective_decisions(
      read(line("a.c", absolute, "plain", "coroutines", true) +
           line("conftest.c", (build() / "conftest.o").string(), "tuned", "none", true) +
           line("b.c", "../build-s000/lib/b.o", "plain", "rule_says_plain", false) +
           line("a.c", absolute, "tuned", "none", true)),
      source(), build());
  ASSERT_EQ(decisions.size(), 2U);
  EXPECT_EQ(decisions[0].output, "a.o");
  EXPECT_EQ(decisions[0].source, "a.c");
  EXPECT_TRUE(decisions[0].tuned);
  EXPECT_TRUE(decisions[0].meant);
  EXPECT_EQ(decisions[0].pipeline_hash, "abc");
  EXPECT_EQ(decisions[0].reason, "");
  EXPECT_EQ(decisions[1].output, "lib/b.o");
  EXPECT_FALSE(decisions[1].tuned);
  EXPECT_EQ(decisions[1].pipeline_hash, "") << "what was plain has no pipeline in effect";
  EXPECT_EQ(decisions[1].reason, "rule_says_plain");
}

TEST_F(CompileLog, FailuresHaveTheirOutcomes) {
  EXPECT_FALSE(first_failure(read(line("a.c", "a.o", "plain", "coroutines", true))).has_value());
  const auto outcome = [&](const std::string& failure) {
    const auto found = first_failure(
        read(line("ok.c", "ok.o", "tuned", "none", true) +
             line("bad.c", "bad.o", "failed", failure, true, ",\"failure\":\"" + failure + "\"")));
    EXPECT_TRUE(found.has_value());
    EXPECT_NE(found->reason.find("bad.c"), std::string::npos) << found->reason;
    return found->outcome;
  };
  EXPECT_EQ(outcome("crashed"), Outcome::compiler_crashed);
  EXPECT_EQ(outcome("load_failed"), Outcome::compiler_crashed);
  EXPECT_EQ(outcome("rejected"), Outcome::compiler_crashed);
  EXPECT_EQ(outcome("timed_out"), Outcome::timed_out);
}

}  // namespace
}  // namespace hone
