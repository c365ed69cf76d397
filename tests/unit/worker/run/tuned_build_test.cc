// Candidates of a small CMake product, compiled by clang 19 through the launcher and its plugin.

#include <sys/stat.h>

#include "common/policy/decision_hash.h"
#include "tests/support/fake_heat.h"
#include "tests/support/job_fixture.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

class TunedBuild : public JobFixture {
 protected:
  void SetUp() override {
    JobFixture::SetUp();
    use_built({"bin/hone-cc", "lib/libhone_pass-19.so"});
    if (IsSkipped() || HasFatalFailure()) {
      return;
    }
    write("CMakeLists.txt",
          "cmake_minimum_required(VERSION 3.20)\nproject(tiny C)\n"
          "add_library(work STATIC lib/work.c lib/other.c)\nadd_executable(bench main.c)\n"
          "target_include_directories(work PUBLIC lib)\ntarget_link_libraries(bench work)\n");
    write("lib/work.h", "unsigned work(unsigned n);\nunsigned other(unsigned n);\n");
    write("lib/work.c",
          "#include \"work.h\"\nunsigned work(unsigned n) {\n  unsigned sum = 0;\n"
          "  for (unsigned i = 0; i < n; ++i) sum = sum * 31 + (i ^ (sum >> 7));\n"
          "  return sum;\n}\n");
    write("lib/other.c", "#include \"work.h\"\nunsigned other(unsigned n) { return n * 3 + 1; }\n");
    write("main.c",
          "#include <stdio.h>\n#include \"work.h\"\n"
          "int main(void) { printf(\"%u time 1.5\\n\", work(1000) + other(2)); }\n");
    target_.build.cmake = CMakeSpec{};
    target_.build.binaries = {"bench"};
    target_.benchmark.command = {"{build}/bench"};
    // A verdict after twelve pairs: what these tests are about is the build.
    target_.benchmark.metric = {.metric = Metric::printed, .pattern = "time ([0-9.]+)"};
    pack();
    restart();
  }

  static Rule rule(const std::string& source, const std::string& pipeline,
                   const std::vector<Knob>& knobs = {}) {
    Rule made;
    made.source = source;
    made.decision.pipeline = pipeline;
    made.decision.knobs = knobs;
    return made;
  }
  static const EffectiveDecision* decision_of(const AttemptResult& result,
                                              const std::string& source) {
    for (const EffectiveDecision& decision : result.decisions) {
      if (decision.source == source) {
        return &decision;
      }
    }
    ADD_FAILURE() << "no decision of " << source;
    static const EffectiveDecision kNone;
    return &kNone;
  }
};

const std::string kWeak = "function(sroa<modify-cfg>,simplifycfg)";

TEST_F(TunedBuild, StoresTheDecisionsThatTookEffect) {
  const Rule tuned = rule("lib/work.c", kWeak);
  const AttemptResult result = run(lease({tuned}));
  ASSERT_EQ(result.outcome, Outcome::ok) << result.reason << result.log;
  EXPECT_EQ(result.decisions.size(), 3U);
  const EffectiveDecision* work = decision_of(result, "lib/work.c");
  EXPECT_TRUE(work->tuned) << work->reason;
  EXPECT_TRUE(work->meant);
  EXPECT_EQ(work->pipeline_hash, *decision_hash(tuned.decision));
  EXPECT_EQ(work->output, "CMakeFiles/work.dir/lib/work.c.o");
  EXPECT_EQ(work->state_id.size(), 64U);
  EXPECT_FALSE(decision_of(result, "main.c")->tuned);
  EXPECT_FALSE(decision_of(result, "main.c")->meant);
  EXPECT_NE(decision_of(result, "main.c")->state_id, work->state_id);
  EXPECT_TRUE(result.verdict.has_value());
  EXPECT_GT(result.binaries[0].text_bytes, 0);
  EXPECT_NE(result.toolchain.compiler.find("19"), std::string::npos);
  EXPECT_EQ(result.toolchain.plugin_sha256.size(), 64U);
}

TEST_F(TunedBuild, TheNextCandidateDoesNotInheritObjects) {
  const AttemptResult first = run(lease({rule("*", kWeak)}));
  ASSERT_EQ(first.outcome, Outcome::ok) << first.reason;
  // Plain everywhere: the very binary of the baseline comes out again, whatever stood there before.
  const AttemptResult second = run(lease({rule("*", "default<O3>")}));
  EXPECT_EQ(second.outcome, Outcome::ok) << second.reason;
  EXPECT_EQ(second.verdict, Verdict::no_change);
  EXPECT_EQ(second.binaries[0].sha256, second.baseline_binaries[0].sha256);
  EXPECT_EQ(second.decisions.size(), 3U);
  const AttemptResult third = run(lease({rule("*", kWeak)}));
  EXPECT_EQ(third.binaries[0].sha256, first.binaries[0].sha256);
}

TEST_F(TunedBuild, StateIdsDoNotDependOnTheMachinesFolders) {
  const AttemptResult here = run(lease());
  const fs::path moved = folder_->path() / "elsewhere";
  ASSERT_TRUE(make_folder(moved, 0755).has_value());
  pool_ = std::make_unique<WorkspacePool>(moved, 4, *context_);
  runner_ = std::make_unique<JobRunner>(*pool_, *context_);
  const AttemptResult there = run(lease());
  ASSERT_EQ(here.decisions.size(), there.decisions.size());
  for (std::size_t i = 0; i < here.decisions.size(); ++i) {
    EXPECT_EQ(here.decisions[i].state_id, there.decisions[i].state_id);
    EXPECT_EQ(here.decisions[i].state_id.size(), 64U);
  }
  EXPECT_EQ(here.baseline_binaries, there.baseline_binaries);
}

TEST_F(TunedBuild, ExcludedSourcesStayPlain) {
  target_.tune.exclude = {"lib/*"};
  const AttemptResult result = run(lease({rule("*", kWeak)}));
  ASSERT_EQ(result.outcome, Outcome::ok) << result.reason;
  EXPECT_TRUE(decision_of(result, "main.c")->tuned);
  EXPECT_FALSE(decision_of(result, "lib/work.c")->tuned);
  EXPECT_FALSE(decision_of(result, "lib/work.c")->meant);
}

// Which sources there are is known from what the baseline's build compiled.
TEST_F(TunedBuild, SourcesThatAreNotIncludedStayPlain) {
  target_.tune.include = {"lib/*"};
  const AttemptResult result = run(lease({rule("*", kWeak)}));
  ASSERT_EQ(result.outcome, Outcome::ok) << result.reason;
  EXPECT_TRUE(decision_of(result, "lib/work.c")->tuned);
  EXPECT_TRUE(decision_of(result, "lib/other.c")->tuned);
  EXPECT_FALSE(decision_of(result, "main.c")->tuned);
  EXPECT_FALSE(decision_of(result, "main.c")->meant);
}

TEST_F(TunedBuild, APassOutsideTheAllowListIsPlainAndTheCandidateGoesOn) {
  const AttemptResult result = run(lease({rule("lib/work.c", "print<domtree>"), rule("*", kWeak)}));
  ASSERT_EQ(result.outcome, Outcome::ok) << result.reason;
  EXPECT_FALSE(decision_of(result, "lib/work.c")->tuned);
  EXPECT_TRUE(decision_of(result, "lib/work.c")->meant);
  EXPECT_EQ(decision_of(result, "lib/work.c")->reason, "not_allowed");
  EXPECT_TRUE(decision_of(result, "main.c")->tuned);
}

TEST_F(TunedBuild, ASourceThatDoesNotCompileIsBaselineFailed) {
  write("lib/other.c", "this is no C\n");
  pack();
  const AttemptResult result = run(lease());
  EXPECT_EQ(result.outcome, Outcome::baseline_failed);
  EXPECT_NE(result.reason.find("other.c"), std::string::npos) << result.reason;
}

// Each is made from a copy of the one before, and is the binary that it would be by itself.
TEST_F(TunedBuild, AHeatsCandidatesAreBuiltAsTheyAreAlone) {
  const std::vector<std::vector<Rule>> rules = {{rule("lib/work.c", kWeak)},
                                                {rule("lib/work.c", "", {{"unroll-count", "8"}})},
                                                {rule("lib/work.c", "", {{"unroll-count", "2"}})}};
  std::vector<Lease> leases;
  for (const std::vector<Rule>& one : rules) {
    leases.push_back(lease(one));
    leases.back().campaign = "campaign";
  }
  FakeHeat heat(*runner_, leases);
  runner_->run_heat(heat, Slot{0, std::nullopt}, {});
  ASSERT_EQ(heat.results.size(), 3U);
  target_.benchmark.timeout_seconds += 1;  // another workspace
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const Result<AttemptResult>& together = heat.results.at(leases[i].attempt);
    ASSERT_TRUE(together.has_value()) << together.error().message;
    EXPECT_EQ(together->outcome, Outcome::ok) << together->reason << together->log;
    EXPECT_EQ(together->decisions.size(), 3U);
    EXPECT_EQ(together->reused_attempt, "") << "three different binaries";
    EXPECT_EQ(together->log.find(" -G Ninja ") == std::string::npos, i > 0) << together->log;
    restart();
    fs::remove_all(folder_->path() / "targets/tiny");
    const AttemptResult alone = run(lease(rules[i]));
    EXPECT_EQ(alone.binaries, together->binaries);
    EXPECT_EQ(alone.decisions, together->decisions);
  }
}

// A compiler that crashes on one file whenever it is given a plugin: what a crashing pass looks
// like from outside.
TEST_F(TunedBuild, APassThatCrashesOnOneFileIsCompilerCrashed) {
  const fs::path compiler = folder_->path() / "tools/clang-19";
  ASSERT_TRUE(write_file_atomically(compiler,
                                    "#!/bin/sh\ncase \"$*\" in\n"
                                    "*fpass-plugin*lib/work.c*) kill -SEGV $$;;\nesac\n"
                                    "exec /usr/bin/clang-19 \"$@\"\n",
                                    0755)
                  .has_value());
  toolchain_.c_compiler = compiler.string();
  restart();
  const AttemptResult result = run(lease({rule("*", kWeak)}));
  EXPECT_EQ(result.outcome, Outcome::compiler_crashed) << result.reason;
  EXPECT_NE(result.reason.find("lib/work.c"), std::string::npos) << result.reason;
  // Another candidate that leaves the file alone is measured.
  EXPECT_EQ(run(lease({rule("main.c", kWeak)})).outcome, Outcome::ok);
}

TEST_F(TunedBuild, APluginThatCannotBeLoadedIsCompilerCrashed) {
  ASSERT_TRUE(
      write_file_atomically(folder_->path() / "tools/libhone_pass-19.so", "no library", 0755)
          .has_value());
  const AttemptResult result = run(lease({rule("*", kWeak)}));
  EXPECT_EQ(result.outcome, Outcome::compiler_crashed) << result.reason;
}

}  // namespace
}  // namespace hone
