// A job of a product whose link goes through hone-link: what is measured are links of one program
// at different addresses, each under the program's own name.

#include <map>
#include <set>

#include "tests/support/job_fixture.h"

namespace hone {
namespace {

class LayoutsJob : public JobFixture {
 protected:
  void SetUp() override {
    JobFixture::SetUp();
    use_built({"bin/hone-cc", "bin/hone-link", "lib/libhone_pass-19.so"});
    if (IsSkipped() || HasFatalFailure()) {
      return;
    }
    write("CMakeLists.txt",
          "cmake_minimum_required(VERSION 3.20)\nproject(tiny C)\n"
          "add_executable(bench main.c work.c)\n");
    write("work.c", "unsigned work(unsigned n) { return n * 31 + (n >> 7); }\n");
    // Prints its name, and as its metric where main() lies within a page. Loaded at addresses that
    // are multiples of a page, it says the same in every run of one link.
    write("main.c",
          "#include <stdint.h>\n#include <stdio.h>\n#include <string.h>\n"
          "unsigned work(unsigned n);\n"
          "int main(int argc, char** argv) {\n"
          "  const char* slash = strrchr(argv[0], '/');\n"
          "  unsigned at = (unsigned)((uintptr_t)main & 4095) + 1;\n"
          "  printf(\"%s %u at %u\\n\", slash ? slash + 1 : argv[0], work((unsigned)argc), at);\n"
          "}\n");
    target_.build.cmake = CMakeSpec{};
    target_.build.binaries = {"bench"};
    target_.benchmark.command = {"{build}/bench"};
    target_.benchmark.metric.metric = Metric::printed;
    target_.benchmark.metric.pattern = "at ([0-9]+)";
  }

  // A candidate with another binary: the baseline's own would not be measured.
  AttemptResult run_candidate() {
    pack();
    restart();
    Rule rule;
    rule.source = "*";
    rule.decision.pipeline = "function(sroa<modify-cfg>,simplifycfg)";
    return run(lease({rule}));
  }
  // What each link of a side printed.
  static std::map<std::int64_t, std::set<double>> printed(const AttemptResult& result,
                                                          SampleRole role) {
    std::map<std::int64_t, std::set<double>> values;
    for (const Sample& sample : result.samples) {
      if (sample.role == role) {
        values[sample.layout].insert(sample.value);
      }
    }
    return values;
  }
  static bool says(const AttemptResult& result, const std::string& text) {
    for (const std::string& warning : result.warnings) {
      if (warning.find(text) != std::string::npos) {
        return true;
      }
    }
    return false;
  }
};

TEST_F(LayoutsJob, MeasuresSeveralLinksOfEachProgramUnderItsOwnName) {
  const AttemptResult result = run_candidate();
  ASSERT_EQ(result.outcome, Outcome::ok) << result.reason << result.log;
  EXPECT_EQ(result.links, 8);
  EXPECT_FALSE(says(result, "link"));
  for (const SampleRole role : {SampleRole::baseline, SampleRole::candidate}) {
    const auto values = printed(result, role);
    EXPECT_EQ(values.size(), 8U);
    std::set<double> places;
    for (const auto& [layout, seen] : values) {
      EXPECT_EQ(seen.size(), 1U) << "link " << layout << " is always the same one";
      places.insert(seen.begin(), seen.end());
    }
    EXPECT_GE(places.size(), 6U) << "main lies at different places";
  }
}

TEST_F(LayoutsJob, TheNextCandidateHasLinksOfItsOwn) {
  ASSERT_EQ(run_candidate().links, 8);
  write("work.c", "unsigned work(unsigned n) { return n * 37 + (n >> 5); }\n");
  const AttemptResult result = run_candidate();
  ASSERT_EQ(result.outcome, Outcome::ok) << result.reason << result.log;
  EXPECT_EQ(result.links, 8);
}

TEST_F(LayoutsJob, TheBaselinesOwnBinaryIsToldByThePlainLink) {
  pack();
  restart();
  const AttemptResult result = run(lease());
  EXPECT_EQ(result.outcome, Outcome::ok) << result.reason;
  EXPECT_EQ(result.verdict, Verdict::no_change);
  EXPECT_TRUE(result.samples.empty());
}

TEST_F(LayoutsJob, SwitchedOffItMeasuresOneAndSaysSo) {
  target_.benchmark.links = 1;
  const AttemptResult result = run_candidate();
  ASSERT_EQ(result.outcome, Outcome::ok) << result.reason << result.log;
  EXPECT_EQ(result.links, 1);
  EXPECT_EQ(result.layout_sigma, 0);
  EXPECT_EQ(printed(result, SampleRole::candidate).size(), 1U);
  EXPECT_TRUE(says(result, "one link")) << result.warnings.size();
}

TEST_F(LayoutsJob, ABuildThatBypassesTheLauncherMeasuresOneAndSaysSo) {
  target_.build.cmake->options = {"-DCMAKE_C_LINKER_LAUNCHER="};
  const AttemptResult result = run_candidate();
  ASSERT_EQ(result.outcome, Outcome::ok) << result.reason << result.log;
  EXPECT_EQ(result.links, 1);
  EXPECT_TRUE(says(result, "did not pass through hone-link"));
}

TEST_F(LayoutsJob, BuildsByCommandsLinkThroughTheCompilersWrapper) {
  target_.build.cmake.reset();
  target_.build.commands = {{"{cc}", "-O3", "-c", "{source}/main.c", "-o", "main.o"},
                            {"{cc}", "-O3", "-c", "{source}/work.c", "-o", "work.o"},
                            {"{cc}", "main.o", "work.o", "-o", "bench"}};
  target_.benchmark.links = 4;
  const AttemptResult result = run_candidate();
  ASSERT_EQ(result.outcome, Outcome::ok) << result.reason << result.log;
  EXPECT_EQ(result.links, 4);
  EXPECT_EQ(printed(result, SampleRole::baseline).size(), 4U);
}

}  // namespace
}  // namespace hone
