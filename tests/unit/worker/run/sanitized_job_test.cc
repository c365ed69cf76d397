// Confirmations of targets that ask for sanitizers.
#include <algorithm>

#include "tests/support/job_fixture.h"
#include "worker/build/sanitizers.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

class SanitizedJob : public JobFixture {
 protected:
  void SetUp() override {
    JobFixture::SetUp();
    use_built({"bin/hone-cc", "lib/libhone_pass-19.so"});
    if (IsSkipped() || HasFatalFailure()) {
      return;
    }
    const std::vector<Sanitizer> both = {Sanitizer::address, Sanitizer::undefined};
    if (const Result<void> there = find_sanitizer_runtime(toolchain_, user_, both); !there) {
      GTEST_SKIP() << "NOT TESTED: " << there.error().message;
    }
    restart();
    target_.benchmark.command = {"{build}/bench"};
    target_.benchmark.metric = {.metric = Metric::printed, .pattern = "time ([0-9.]+)"};
    target_.benchmark.sanitize = both;
    target_.build.binaries = {"bench"};
  }
  // A program that knows whether it was compiled by -O3: only after inlining is the argument of
  // folded() a constant.
  void product(const std::string& main) {
    write("main.c",
          "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
          "static int folded(int x) { return __builtin_constant_p(x); }\n"
          "int main(int argc, char** argv) {\n" +
              main + "\nprintf(\"time 1.5\\n\"); return 0; }\n");
    write("CMakeLists.txt",
          "cmake_minimum_required(VERSION 3.20)\nproject(tiny C)\nset(CMAKE_C_FLAGS \"-Wall\")\n"
          "add_library(other STATIC other.c)\nadd_executable(bench main.c)\n"
          "target_link_libraries(bench other)\n");
    write("other.c", "int other(void) { return 1; }\n");
    target_.build.cmake = CMakeSpec{};
    pack();
  }
  AttemptResult confirm(Stage stage = Stage::confirm) {
    Rule weak;
    weak.source = "*";
    weak.decision.pipeline = "function(sroa<modify-cfg>,simplifycfg)";
    Lease wanted = lease({weak});
    wanted.stage = stage;
    return run(wanted);
  }
  // The first warning of the check; empty if there is none.
  static std::string warning_of(const AttemptResult& result) {
    const auto found = std::ranges::find_if(result.warnings, [](const std::string& warning) {
      return warning.find("sanitizers") != std::string::npos;
    });
    return found == result.warnings.end() ? "" : *found;
  }
  std::string made_of(const std::string& name) const {
    for (const auto& entry : fs::recursive_directory_iterator(folder_->path() / "targets")) {
      if (entry.path().filename() == name) {
        return entry.path().string();
      }
    }
    return "";
  }
};

// A byte behind what was allocated, of which the output shows nothing.
const std::string kOverrun =
    "char* text = malloc(16); memset(text, 0, 16);\n"
    "volatile int at = folded(3) ? 15 : 16; volatile char c = text[at]; (void)c;\n";

TEST_F(SanitizedJob, WhatOnlyASanitizerSeesIsMiscompiled) {
  product(kOverrun);
  const AttemptResult result = confirm();
  ASSERT_EQ(result.outcome, Outcome::miscompiled) << result.reason << warning_of(result);
  EXPECT_NE(result.reason.find("AddressSanitizer: heap-buffer-overflow"), std::string::npos)
      << result.reason;
  EXPECT_NE(result.reason.find("main.c"), std::string::npos) << result.reason;
  EXPECT_TRUE(result.samples.empty()) << "nothing is measured of it";
  EXPECT_EQ(made_of("build-a000"), "") << "nor kept";
}

TEST_F(SanitizedJob, ARaceIsNotChecked) {
  product(kOverrun);
  EXPECT_EQ(confirm(Stage::race).outcome, Outcome::ok);
  EXPECT_EQ(made_of("build-sanb"), "");
}

TEST_F(SanitizedJob, WithoutSanitizersNobodySeesIt) {
  product(kOverrun);
  target_.benchmark.sanitize.clear();
  EXPECT_EQ(confirm().outcome, Outcome::ok);
}

TEST_F(SanitizedJob, UndefinedBehaviourOfTheCandidateAloneIsMiscompiled) {
  product("volatile int x = 2147483647; x = x + (folded(3) ? 0 : 1);\n");
  target_.benchmark.sanitize = {Sanitizer::undefined};
  const AttemptResult result = confirm();
  ASSERT_EQ(result.outcome, Outcome::miscompiled) << result.reason << warning_of(result);
  EXPECT_NE(result.reason.find("runtime error: signed integer overflow"), std::string::npos)
      << result.reason;
}

TEST_F(SanitizedJob, AProgramWithoutFaultIsMeasured) {
  product("char* text = malloc(16); text[15] = 1; puts(folded(text[15]) ? \"done\" : \"done\");\n");
  const AttemptResult result = confirm();
  ASSERT_EQ(result.outcome, Outcome::ok) << result.reason;
  EXPECT_EQ(warning_of(result), "");
  EXPECT_TRUE(result.reward.has_value());
  // The baseline's build is kept for the next one.
  const fs::path kept = fs::path(made_of("build-sanb")) / "bench";
  const auto built = fs::last_write_time(kept);
  EXPECT_EQ(confirm().outcome, Outcome::ok);
  EXPECT_EQ(fs::last_write_time(kept), built);
}

TEST_F(SanitizedJob, ABaselineThatReportsBlamesNobody) {
  product(
      "char* text = malloc(16); memset(text, 0, 16);\n"
      "volatile int at = folded(3) ? 16 : 17; volatile char c = text[at]; (void)c;\n");
  const AttemptResult result = confirm();
  ASSERT_EQ(result.outcome, Outcome::ok) << result.reason;
  EXPECT_NE(warning_of(result).find("could not tell"), std::string::npos) << warning_of(result);
  EXPECT_NE(warning_of(result).find("the baseline: a sanitizer reports"), std::string::npos)
      << warning_of(result);
}

TEST_F(SanitizedJob, ABaselineThatDoesNotBuildSoBlamesNobodyAndIsRemembered) {
  product(
      "#if __has_feature(address_sanitizer)\n#error \"not with sanitizers\"\n#endif\n"
      "volatile int kept = folded(3);\n");
  for (int i = 0; i < 2; ++i) {
    const AttemptResult result = confirm();
    ASSERT_EQ(result.outcome, Outcome::ok) << result.reason;
    EXPECT_NE(warning_of(result).find("not with sanitizers"), std::string::npos)
        << warning_of(result);
    EXPECT_EQ(i == 0, result.log.find("build-sanb") != std::string::npos) << "built once";
  }
}

TEST_F(SanitizedJob, ProductsOfMakeAndChecksAreCheckedToo) {
  product("if (argc > 1) {" + kOverrun + "}\n");
  target_.build.cmake.reset();
  write("Makefile", "bench: main.o other.o\n\t$(CC) $^ -o $@\n%.o: %.c\n\t$(CC) -O3 -c $< -o $@\n");
  target_.build.commands = {{"make", "CC={cc}"}};
  CheckSpec check;
  check.name = "more";
  check.command = {"{build}/bench", "more"};
  target_.benchmark.checks = {check};
  pack();
  const AttemptResult result = confirm();
  ASSERT_EQ(result.outcome, Outcome::miscompiled) << result.reason << warning_of(result);
  EXPECT_NE(result.reason.find("in check 'more'"), std::string::npos) << result.reason;
}

TEST_F(SanitizedJob, AWorkerWithoutTheLibrariesSaysSoBeforeItBuilds) {
  product("");
  const fs::path compiler = folder_->path() / "tools/clang-19";
  ASSERT_TRUE(write_file_atomically(compiler,
                                    "#!/bin/sh\ncase \"$1\" in -print-file-name=*) echo "
                                    "\"${1#*=}\"; exit ;; esac\nexec /usr/bin/clang-19 \"$@\"\n",
                                    0755)
                  .has_value());
  toolchain_.c_compiler = compiler.string();
  restart();
  for (const Stage stage : {Stage::race, Stage::confirm}) {
    const AttemptResult result = confirm(stage);
    EXPECT_EQ(result.outcome, Outcome::benchmark_failed);
    EXPECT_NE(result.reason.find("libclang-rt-19-dev"), std::string::npos) << result.reason;
    EXPECT_TRUE(result.baseline_binaries.empty());
  }
}

}  // namespace
}  // namespace hone
