// Jobs whose leases ask where the baseline's time goes.
#include "staging/counters/run_counter.h"
#include "tests/support/job_fixture.h"

namespace hone {
namespace {

class BaselineProfile : public JobFixture {
 protected:
  // The candidate's program holds another text.
  void SetUp() override {
    JobFixture::SetUp();
    use_built({"bin/hone-cc", "lib/libhone_pass-19.so"});
    if (IsSkipped() || HasFatalFailure()) {
      return;
    }
    if (const auto counter = make_run_counter(Metric::instructions, ""); !counter) {
      GTEST_SKIP() << "NOT TESTED: " << counter.error().message;
    }
    restart();
    write(
        "lib/hot.c",
        "int step(int x);\n"
        "int hot(int n) { int s = 0; for (int i = 0; i < n; ++i) s += step(i ^ s); return s; }\n");
    write("lib/step.c", "int step(int x) { return x * 7 + (x >> 3); }\n");
    write("main.c",
          "#include <stdio.h>\n#include <stdlib.h>\nint hot(int n);\n"
          "int main(int c, char** v) {\n"
          "  if (c > 2) puts(WHO);\n"
          "  printf(\"%d\\n\", hot(atoi(v[1]))); return 0; }\n");
    write("make.sh",
          "who=baseline; if [ -n \"$HONE_POLICY\" ]; then who=candidate; fi\n"
          "exec \"$@\" -DWHO=\"\\\"$who\\\"\"\n");
    target_.build.commands = {{"sh", "{source}/make.sh", "{cc}", "-O2", "{source}/main.c",
                               "{source}/lib/hot.c", "{source}/lib/step.c", "-o", "bench"}};
    target_.build.binaries = {"bench"};
    target_.benchmark.command = {"{build}/bench", "300000"};
    pack();
  }

  std::size_t left_behind() const {
    std::size_t left = 0;
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(folder_->path() / "targets")) {
      left += entry.path().filename().string().ends_with("-p000") ? 1 : 0;
    }
    return left;
  }
};

TEST_F(BaselineProfile, TellsTheSourcesSharesBesideTheResult) {
  Lease asked = lease();
  asked.profile = true;
  const AttemptResult result = run(asked);
  ASSERT_EQ(result.outcome, Outcome::ok) << result.reason << result.log;
  ASSERT_TRUE(result.reward.has_value());
  ASSERT_TRUE(result.profile.has_value());
  EXPECT_EQ(result.profile->why_none, "");
  const std::vector<FileShare>& files = result.profile->files;
  ASSERT_EQ(files.size(), 2U) << "main() itself is next to nothing";
  EXPECT_EQ(files[0].source, "lib/hot.c");
  EXPECT_EQ(files[1].source, "lib/step.c");
  EXPECT_GT(files[0].share, 0.4);
  EXPECT_GT(files[1].share, 0.2);
  EXPECT_GT(files[0].share + files[1].share, 0.9);
  EXPECT_EQ(left_behind(), 0U);
  EXPECT_FALSE(run(lease()).profile.has_value()) << "unasked";
}

TEST_F(BaselineProfile, ABenchmarkThatFailsUnderCallgrindIsToldAndMeasuredAllTheSame) {
  // As a program does that looks at the processor it runs on.
  write("make.sh",
        "who=baseline; if [ -n \"$HONE_POLICY\" ]; then who=candidate; fi\n"
        "printf '#!/bin/sh\\n# %s\\ncase $LD_PRELOAD in *valgrind*) echo odd >&2; exit 3 ;; esac\\n"
        "echo 7\\n' $who > bench && chmod 755 bench\n");
  pack();
  Lease asked = lease();
  asked.profile = true;
  const AttemptResult result = run(asked);
  ASSERT_EQ(result.outcome, Outcome::ok) << result.reason << result.log;
  ASSERT_TRUE(result.profile.has_value());
  EXPECT_TRUE(result.profile->files.empty());
  EXPECT_NE(result.profile->why_none.find("exit code 3"), std::string::npos)
      << result.profile->why_none;
  EXPECT_EQ(left_behind(), 0U);
}

}  // namespace
}  // namespace hone
