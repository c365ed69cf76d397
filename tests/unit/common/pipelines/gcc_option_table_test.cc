#include "common/pipelines/gcc_option_table.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/file.h"
#include "common/base/subprocess.h"

namespace hone {
namespace {

bool allowed(std::string_view name, std::string_view value) {
  return check_gcc_option(name, value).has_value();
}

TEST(GccOptionTable, AcceptsValuesInTheirRange) {
  EXPECT_TRUE(allowed("funroll-loops", "false"));
  EXPECT_TRUE(allowed("fvect-cost-model", "very-cheap"));
  EXPECT_TRUE(allowed("falign-loops", "32"));
  EXPECT_TRUE(allowed("max-unroll-times", "64"));
}

TEST(GccOptionTable, RefusesEverythingElse) {
  for (const char* value : {"1", "", "yes", "True", "true -fplugin=x"}) {
    EXPECT_FALSE(allowed("funroll-loops", value)) << value;
  }
  for (const char* value : {"65", "-1", "04", "+4", "4x", ""}) {
    EXPECT_FALSE(allowed("max-unroll-times", value)) << value;
  }
  // Floating point, ABI, macros, debug information, files, code loaded.
  for (const char* name :
       {"ffast-math", "fassociative-math", "fplugin", "fpic", "fshort-enums", "fno-inline",
        "fdump-tree-all", "fomit-frame-pointer", "march", "g", "fwrapv", "unroll-loops", ""}) {
    EXPECT_FALSE(allowed(name, "true")) << name;
  }
  EXPECT_THAT(check_gcc_option("fvect-cost-model", "free").error().message,
              testing::HasSubstr("one of cheap, dynamic"));
}

TEST(GccOptionTable, SpellsArguments) {
  EXPECT_EQ(gcc_argument("funroll-loops", "true"), "-funroll-loops");
  EXPECT_EQ(gcc_argument("funroll-loops", "false"), "-fno-unroll-loops");
  EXPECT_EQ(gcc_argument("fira-region", "mixed"), "-fira-region=mixed");
  EXPECT_EQ(gcc_argument("max-unroll-times", "4"), "--param=max-unroll-times=4");
}

TEST(GccOptionTable, RecognisesTheUsersOwn) {
  EXPECT_EQ(gcc_option_of("-fno-unroll-loops"), "funroll-loops");
  EXPECT_EQ(gcc_option_of("-falign-loops=16:8"), "falign-loops");
  EXPECT_EQ(gcc_option_of("--param=max-unroll-times=2"), "max-unroll-times");
  EXPECT_EQ(gcc_option_of_parameter("max-unroll-times=2"), "max-unroll-times");
  EXPECT_EQ(gcc_option_of("-fPIC"), "");
  EXPECT_EQ(gcc_option_of("-O3"), "");
  EXPECT_EQ(gcc_option_of_parameter("funroll-loops"), "");
}

RunReport run_gcc(std::vector<std::string> arguments) {
  Command command;
  command.arguments = std::move(arguments);
  command.environment = {"PATH=/usr/bin:/bin"};
  command.limits.wall_time = std::chrono::seconds(60);
  const Result<RunReport> report = run(command);
  EXPECT_TRUE(report) << (report ? "" : report.error().message);
  return report ? *report : RunReport();
}

// Every row with its extreme values, taken by the real compiler without a word, and none of them
// changes a predefined macro.
TEST(GccOptionTable, IsWhatGcc12Takes) {
  constexpr const char* kGcc = "/usr/bin/gcc-12";
  if (!std::filesystem::exists(kGcc)) {
    GTEST_SKIP() << "NOT TESTED: " << kGcc;
  }
  const TemporaryFolder folder = *TemporaryFolder::create("gcc-option-test");
  const std::string source = (folder.path() / "a.c").string();
  ASSERT_TRUE(write_file_atomically(source, "int f(int a) { return a; }\n"));
  const std::string macros = run_gcc({kGcc, "-O3", "-dM", "-E", source}).stdout_text;
  ASSERT_THAT(macros, testing::HasSubstr("__OPTIMIZE__"));
  for (const GccOption& option : gcc_option_table()) {
    std::vector<std::string> values(option.words.begin(), option.words.end());
    if (option.kind == GccOptionKind::flag) {
      values = {"true", "false"};
    } else if (option.kind != GccOptionKind::word) {
      values = {std::to_string(option.low), std::to_string(option.high)};
    }
    for (const std::string& value : values) {
      const std::string argument = gcc_argument(option.name, value);
      ASSERT_TRUE(check_gcc_option(option.name, value)) << argument;
      EXPECT_EQ(gcc_option_of(argument), option.name) << argument;
      // -dM -E runs the option parser and the front end's set-up, at a fraction of a compile.
      const RunReport report = run_gcc({kGcc, "-O3", argument, "-dM", "-E", source});
      EXPECT_TRUE(report.ok() && report.stderr_text.empty()) << argument << report.stderr_text;
      EXPECT_EQ(report.stdout_text, macros) << argument;
    }
  }
}

}  // namespace
}  // namespace hone
