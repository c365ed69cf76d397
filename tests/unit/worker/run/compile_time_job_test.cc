// Jobs whose metric is what the build takes.
#include <algorithm>
#include <cmath>

#include "tests/support/job_fixture.h"

namespace hone {
namespace {

class CompileTimeJob : public JobFixture {
 protected:
  void SetUp() override {
    JobFixture::SetUp();
    use_built({"bin/hone-cc", "lib/libhone_pass-19.so"});
    if (IsSkipped() || HasFatalFailure()) {
      return;
    }
    restart();
    target_.benchmark.command = {"{build}/bench"};
    target_.benchmark.metric.metric = Metric::compile_time;
    target_.build.binaries = {"bench"};
    // Loops that -O3 spends its time on.
    std::string work =
        "double work(double* restrict a, const double* restrict b, int n) {\n"
        "double sum = 0;\n";
    for (int i = 0; i < 60; ++i) {
      const std::string k = std::to_string(i + 1);
      work += "for (int i = 0; i < n; ++i) { a[i] = a[i] * " + k + " + b[i]; if (b[i] > " + k +
              ") sum += a[i]; }\n";
    }
    write("work.c", work + "return sum; }\n");
    write("main.c",
          "#include <stdio.h>\ndouble work(double*, const double*, int);\n"
          "int main(void) { double a[4] = {1}, b[4] = {2}; printf(\"%g\\n\", work(a, b, 4)); }\n");
  }
  void by_make() {
    write("Makefile",
          "bench: main.o work.o\n\t$(CC) $^ -o $@\n%.o: %.c\n\t$(CC) -O3 -c $< -o $@\n");
    target_.build.commands = {{"make", "CC={cc}"}};
    pack();
  }
  void by_cmake() {
    write("CMakeLists.txt",
          "cmake_minimum_required(VERSION 3.20)\nproject(tiny C)\n"
          "add_executable(bench main.c work.c)\n");
    target_.build.cmake = CMakeSpec{};
    pack();
  }
  static Rule rule(const std::string& pipeline) {
    Rule made;
    made.source = "*";
    made.decision.pipeline = pipeline;
    return made;
  }
  static double sum_of(const AttemptResult& result, SampleRole role) {
    double sum = 0;
    for (const Sample& sample : result.samples) {
      sum += sample.role == role ? sample.value : 0;
    }
    return sum;
  }
};

const std::string kCheap = "function(sroa<modify-cfg>,simplifycfg)";

TEST_F(CompileTimeJob, ACheaperPipelineIsFaster) {
  by_cmake();
  const AttemptResult result = run(lease({rule(kCheap)}));
  ASSERT_EQ(result.outcome, Outcome::ok) << result.reason << result.log;
  EXPECT_EQ(result.verdict, Verdict::faster) << result.reward->value;
  EXPECT_GT(result.reward->value, 0.1);
  EXPECT_EQ(result.links, 1);
  ASSERT_FALSE(result.samples.empty());
  for (const Sample& sample : result.samples) {
    EXPECT_EQ(sample.metric, Metric::compile_time);
    EXPECT_GT(sample.value, 0.02) << "two files, each by a compiler of its own";
  }
  for (const std::string& warning : result.warnings) {
    EXPECT_EQ(warning.find("link"), std::string::npos) << warning;
  }
}

TEST_F(CompileTimeJob, TheSameBinaryMayTakeAnotherTime) {
  by_make();
  // Sixty times more a pass that finds nothing to do after -O3.
  std::string more = "dse";
  for (int i = 1; i < 60; ++i) {
    more += ",dse";
  }
  const AttemptResult result = run(lease({rule("default<O3>,function(" + more + ")")}));
  ASSERT_EQ(result.outcome, Outcome::ok) << result.reason << result.log;
  EXPECT_EQ(result.verdict, Verdict::slower);
  EXPECT_LT(result.reward->value, -0.1);
  EXPECT_EQ(result.binaries.at(0).sha256, result.baseline_binaries.at(0).sha256);
}

TEST_F(CompileTimeJob, ACandidateThatIsWrongDoesNotWinByCompilingFast) {
  write("main.c",
        "#include <stdio.h>\nstatic int folded(int x) { return __builtin_constant_p(x); }\n"
        "int main(void) { printf(\"%d\\n\", folded(3)); }\n");
  by_make();
  const AttemptResult result = run(lease({rule(kCheap)}));
  EXPECT_EQ(result.outcome, Outcome::miscompiled) << result.reason;
  EXPECT_TRUE(result.samples.empty());
}

TEST_F(CompileTimeJob, ABuildThatKeepsObjectsElsewhereIsNotMeasured) {
  // A cache of the product's own, which outlives the build: as if in HOME, were that kept.
  const std::string cache = (folder_->path() / "cache").string();
  ASSERT_TRUE(make_folder(cache, 0777).has_value());
  write("build.sh", "for f in main work; do if [ -f " + cache + "/$f.o ]; then cp " + cache +
                        "/$f.o .; else $1 -O3 -c $f.c -o $f.o && cp $f.o " + cache +
                        "; fi; done; $1 main.o work.o -o bench\n");
  target_.build.commands = {{"sh", "build.sh", "{cc}"}};
  pack();
  const AttemptResult result = run(lease({rule(kCheap)}));
  EXPECT_EQ(result.outcome, Outcome::baseline_failed);
  EXPECT_NE(result.reason.find("was not compiled"), std::string::npos) << result.reason;
}

TEST_F(CompileTimeJob, ABuildThatTheLauncherDoesNotSeeIsNoBenchmark) {
  write("make.sh", "printf '#!/bin/sh\\n:\\n' > bench; chmod 755 bench\n");
  target_.build.commands = {{"sh", "make.sh"}};
  pack();
  const AttemptResult result = run(lease({rule(kCheap)}));
  EXPECT_EQ(result.outcome, Outcome::benchmark_failed);
  EXPECT_NE(result.reason.find("{cc}"), std::string::npos) << result.reason;
}

TEST_F(CompileTimeJob, NothingOfTheTimedBuildsStays) {
  by_cmake();
  ASSERT_EQ(run(lease({rule(kCheap)})).outcome, Outcome::ok);
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(folder_->path() / "targets")) {
    const std::string name = entry.path().filename().string();
    EXPECT_EQ(name.find("-c000"), name.ends_with(".log") ? name.find("-c000") : std::string::npos)
        << entry.path();
  }
}

}  // namespace
}  // namespace hone
