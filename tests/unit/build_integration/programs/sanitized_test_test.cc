#include "build_integration/programs/sanitized_test.h"

#include <gtest/gtest.h>

#include "build_integration/programs/clang_compile.h"
#include "build_integration/programs/tool.h"
#include "common/base/file.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

class SanitizedTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (tool_identity("clang-19").empty() || tool_identity("opt-19").empty()) {
      GTEST_SKIP() << "no clang-19 or no opt-19";
    }
  }
  fs::path module(const std::string& name, const std::string& body) {
    const fs::path source = folder_.path() / (name + ".c");
    EXPECT_TRUE(write_file_atomically(source,
                                      "#include <stdio.h>\n#include <stdlib.h>\n"
                                      "int main(int argc, char** argv) {\n" +
                                          body + "\nputs(\"1\"); return 0; }\n"));
    fs::path output = folder_.path() / (name + ".bc");
    const auto compiled = compile_to_bitcode({source, SourceKind::c, {}, {}, output});
    EXPECT_TRUE(compiled) << compiled.error().message;
    return output;
  }
  static std::string outcome(const Program& program, const fs::path& optimised,
                             Sanitizer sanitizer) {
    const auto check = sanitized_test(program, optimised, sanitizer);
    if (!check) {
      return check.error().describe();
    }
    const std::string state = std::string(check->validated ? "validated" : "not validated") +
                              (check->failed ? ", failed" : "");
    return state + (check->errors.empty() ? "" : ": " + check->errors.front().type);
  }
  TemporaryFolder folder_ = *TemporaryFolder::create("hone-sanitized-test-");
};

// Read behind what was allocated, or behind an array, at a place that depends on the run.
constexpr const char* kHeap =
    "volatile int* p = malloc(4); p[0] = 1; if (p[argc]) { p = 0; } free((void*)p);";
constexpr const char* kArray = "int a[2] = {1, 2}; if (a[argc + 1] == 12345) { puts(\"2\"); }";

TEST_F(SanitizedTest, AReportOfTheOptimisedProgramAloneFails) {
  Program program;
  program.file = module("good", "");
  EXPECT_EQ(outcome(program, program.file, Sanitizer::address), "not validated")
      << "it has no runs";
  program.runs.emplace_back();
  EXPECT_EQ(outcome(program, program.file, Sanitizer::address), "validated");
  EXPECT_EQ(outcome(program, module("heap", kHeap), Sanitizer::address),
            "validated, failed: Memory error");
}

TEST_F(SanitizedTest, WhatTheUnoptimisedProgramReportsSaysNothing) {
  Program program;
  program.file = module("heap", kHeap);
  program.runs.emplace_back();
  EXPECT_EQ(outcome(program, program.file, Sanitizer::address),
            "not validated: Gold standard: Memory error");
}

TEST_F(SanitizedTest, AnAccessOutsideOfAnObjectOfKnownSizeIsUndefined) {
  Program program;
  program.file = module("good", "");
  program.runs.emplace_back();
  EXPECT_EQ(outcome(program, module("array", kArray), Sanitizer::undefined),
            "validated, failed: Illegal Instruction");
  EXPECT_EQ(outcome(program, module("other", ""), Sanitizer::undefined), "validated");
}

TEST(Sanitizers, AreReadFromAList) {
  const auto both = parse_sanitizers("address, undefined,address");
  ASSERT_TRUE(both);
  EXPECT_EQ(*both, (std::vector<Sanitizer>{Sanitizer::address, Sanitizer::undefined}));
  const auto wrong = parse_sanitizers("address,thread");
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message.find("'thread'"), std::string::npos);
  EXPECT_FALSE(parse_sanitizers(""));
}

}  // namespace
}  // namespace hone
