#include "build_integration/programs/differential_test.h"

#include <gtest/gtest.h>

#include "build_integration/programs/clang_compile.h"
#include "build_integration/programs/tool.h"
#include "common/base/file.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

class DifferentialTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (tool_identity("clang-19").empty()) {
      GTEST_SKIP() << "no clang-19";
    }
  }
  fs::path module(const std::string& name, const std::string& body) {
    const fs::path source = folder_.path() / (name + ".c");
    EXPECT_TRUE(write_file_atomically(
        source, "#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char** argv) {\n" +
                    body + "\n}\n"));
    fs::path output = folder_.path() / (name + ".bc");
    const auto compiled = compile_to_bitcode({source, SourceKind::c, {}, {}, output});
    EXPECT_TRUE(compiled) << compiled.error().message;
    return output;
  }
  // The type of the only error, or what is wrong with the check.
  std::string outcome(const Program& program, const fs::path& optimised) {
    const auto check = differential_test(program, optimised);
    if (!check) {
      return check.error().describe();
    }
    const std::string state = std::string(check->validated ? "validated" : "not validated") +
                              (check->failed ? ", failed" : "");
    return state + (check->errors.empty() ? "" : ": " + check->errors.front().type);
  }
  TemporaryFolder folder_ = *TemporaryFolder::create("hone-differential-test-");
};

TEST_F(DifferentialTest, TheSameProgramDoesTheSame) {
  Program program;
  program.file = module("a",
                        "int c; while ((c = getchar()) != EOF) putchar(c + 1);"
                        "fprintf(stderr, \"%s\", argv[1]); return argc;");
  EXPECT_EQ(outcome(program, program.file), "not validated") << "it has no runs";
  program.runs = {ProgramRun{{"x y"}, "abc", "x ybcd", 2, kRunSeconds}};
  EXPECT_EQ(outcome(program, program.file), "validated");
}

TEST_F(DifferentialTest, EveryDifferenceIsOneOfCompilerGymsTypes) {
  Program program;
  program.file = module("good", "puts(\"1\"); return 0;");
  program.runs.emplace_back().limit = std::chrono::seconds(2);
  EXPECT_EQ(outcome(program, module("other", "puts(\"2\"); return 0;")),
            "validated, failed: Wrong output");
  EXPECT_EQ(outcome(program, module("code", "puts(\"1\"); return 3;")),
            "validated, failed: Runtime error (3)");
  EXPECT_EQ(outcome(program, module("segv", "puts(\"1\"); *(volatile int*)8 = 1; return 0;")),
            "validated, failed: Segmentation fault");
  EXPECT_EQ(outcome(program, module("ill", "__builtin_trap();")),
            "validated, failed: Illegal Instruction");
  EXPECT_EQ(outcome(program, module("abort", "abort();")),
            "validated, failed: Runtime error (134)");
  EXPECT_EQ(outcome(program, module("loop", "for (volatile int i = 0;;) { i = 1; }")),
            "validated, failed: Execution timeout");
  EXPECT_EQ(outcome(program, module("link", "extern int nowhere(void); return nowhere();")),
            "validated, failed: Compilation failed");
}

TEST_F(DifferentialTest, AnUnoptimisedProgramThatDoesNotRunFailsOnlyIfItIsKnownToRun) {
  Program program;
  program.file = module("bad", "abort();");
  program.runs.emplace_back();
  EXPECT_EQ(outcome(program, program.file),
            "validated, failed: Gold standard: Runtime error (134)");
  program.runs_unoptimised = false;
  EXPECT_EQ(outcome(program, program.file), "not validated: Gold standard: Runtime error (134)");
  program.file = module("prints", "puts(\"1\"); return 0;");
  program.runs.front().output = "2\n";
  program.runs_unoptimised = true;
  EXPECT_EQ(outcome(program, program.file), "validated, failed: Gold standard: Wrong output");
}

TEST_F(DifferentialTest, OutputThatVariesByItselfSaysNothing) {
  Program program;
  program.file = module("varies",
                        "FILE* f = fopen(\"/proc/sys/kernel/random/uuid\", \"r\");"
                        "int c; while ((c = getc(f)) != EOF) putchar(c); return 0;");
  program.runs.emplace_back();
  EXPECT_EQ(outcome(program, program.file), "not validated: Gold standard: Output varies");
}

TEST_F(DifferentialTest, ARunSeesNothingOfOurEnvironment) {
  setenv("HONE_TOKEN", "secret", 1);
  Program program;
  program.file = module("env", "puts(getenv(\"HONE_TOKEN\") ? \"seen\" : \"none\"); return 0;");
  program.runs.emplace_back().output = "none\n";
  EXPECT_EQ(outcome(program, program.file), "validated");
}

}  // namespace
}  // namespace hone
