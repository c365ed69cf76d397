// Candidates of a campaign measured together, with real processes. Each candidate's "compiler" is a
// shell script that makes a program which prints the candidate's number: the name of its rule's
// source says which.

#include "worker/run/heat.h"

#include <sys/stat.h>

#include <algorithm>
#include <set>

#include "staging/sandbox/init_report.h"
#include "staging/sandbox/sandbox_parts.h"
#include "tests/support/fake_heat.h"
#include "tests/support/job_fixture.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

class HeatTest : public JobFixture {
 protected:
  void SetUp() override {
    JobFixture::SetUp();
    // The number lies beside the program and is read by the path of its build: a program that ran
    // elsewhere than where it was built would print another's. Number 2.0 gives the very program of
    // the baseline.
    write("make.sh", R"(set -e
number=2.0
if [ -n "$HONE_POLICY" ]; then
  number=$(grep -ao 'takes-[a-z0-9.-]*_' "$HONE_POLICY" | head -n 1 | cut -c 7- | tr -d _)
fi
if [ $number = broken ]; then echo no compiler; exit 1; fi
where=$PWD
if [ $number = 2.0 ]; then where='$(dirname "$0")'; fi
echo $number > number
cat > bench <<BENCH
#!/bin/sh
echo $number >> )" + runs().string() +
                         R"(
read n < $where/number
if [ \$n = wrong ]; then echo wrong; n=1.0; fi
echo time \${n%%-*}
BENCH
chmod 755 bench
)");
    write_runs("");
    chmod(runs().c_str(), 0666);
    target_.build.commands = {{"sh", "{source}/make.sh"}};
    target_.build.binaries = {"bench"};
    target_.benchmark.command = {"{build}/bench"};
    target_.benchmark.metric = {.metric = Metric::printed, .pattern = "time ([0-9.]+)"};
    pack();
    restart();
  }

  fs::path runs() const { return folder_->path() / "runs"; }
  void write_runs(const std::string& text) {
    ASSERT_TRUE(write_file_atomically(runs(), text).has_value());
  }
  // How often the program of that number ran.
  std::size_t count_runs(const std::string& number) {
    const std::string text = *read_file(runs(), 1U << 20U);
    std::size_t count = 0;
    for (std::size_t at = 0; (at = text.find(number + "\n", at)) != std::string::npos; ++at) {
      count += at == 0 || text[at - 1] == '\n' ? 1 : 0;
    }
    return count;
  }

  Lease takes(const std::string& number) {
    Rule rule;
    rule.source = "takes-" + number + "_";
    Lease made = lease({rule});
    made.attempt = number;
    made.campaign = "campaign";
    return made;
  }
  std::vector<Lease> all_take(const std::vector<std::string>& numbers) {
    std::vector<Lease> leases;
    for (const std::string& number : numbers) {
      leases.push_back(takes(number));
    }
    return leases;
  }
  void run(FakeHeat& heat) { runner_->run_heat(heat, Slot{0, std::nullopt}, worker_.get_token()); }

  // The result of an attempt, which honed would take.
  AttemptResult result_of(const FakeHeat& heat, const std::string& attempt) {
    const auto found = heat.results.find(attempt);
    if (found == heat.results.end() || !found->second) {
      ADD_FAILURE() << attempt << " has no result"
                    << (found == heat.results.end() ? "" : ": " + found->second.error().message);
      return {};
    }
    const Result<AttemptResult> read =
        parse_attempt_result(to_json(*found->second), UnknownKeys::refuse);
    EXPECT_TRUE(read.has_value()) << read.error().describe();
    return *found->second;
  }
  fs::path workspace() { return (*pool_->open(target_, BaselineKind::o3))->folder(); }
  std::size_t kept_builds() {
    std::size_t kept = 0;
    for (const fs::directory_entry& entry : fs::directory_iterator(workspace())) {
      kept += entry.path().filename().string().starts_with("kept-") ? 1 : 0;
    }
    return kept;
  }

  std::stop_source worker_;
};

TEST_F(HeatTest, TheBaselinesRunsAreSharedAndTheWorseHalfLeaves) {
  FakeHeat heat(*runner_, all_take({"1.9", "1.0", "2.0-too", "4.0", "2.2"}));
  run(heat);
  ASSERT_EQ(heat.results.size(), 5U);
  const std::pair<const char*, Verdict> verdicts[] = {{"1.0", Verdict::faster},
                                                      {"1.9", Verdict::faster},
                                                      {"2.0-too", Verdict::no_change},
                                                      {"2.2", Verdict::slower},
                                                      {"4.0", Verdict::slower}};
  const std::int64_t blocks[] = {24, 24, 12, 6, 6};
  for (std::size_t i = 0; i < 5; ++i) {
    const AttemptResult result = result_of(heat, verdicts[i].first);
    EXPECT_EQ(result.outcome, Outcome::ok) << result.reason << result.log;
    EXPECT_EQ(result.verdict, verdicts[i].second) << verdicts[i].first;
    ASSERT_TRUE(result.reward.has_value());
    EXPECT_NEAR(result.reward->value, std::log(2.0 / std::stod(verdicts[i].first)), 1e-9);
    EXPECT_EQ(result.reward->pairs, blocks[i]);
    EXPECT_EQ(result.samples.size(), static_cast<std::size_t>(2 * blocks[i]));
    EXPECT_EQ(result.binaries.size(), 1U);
    EXPECT_GT(result.measure_seconds, 0);
    EXPECT_NE(result.log.find("make.sh"), std::string::npos);
    for (const Sample& sample : result.samples) {
      EXPECT_EQ(sample.value,
                sample.role == SampleRole::baseline ? 2.0 : std::stod(verdicts[i].first));
    }
    // One run for the check.
    EXPECT_EQ(count_runs(verdicts[i].first), static_cast<std::size_t>(blocks[i] + 1));
  }
  EXPECT_EQ(count_runs("2.0"), 24 + 2U);
  // The first to leave are told first.
  EXPECT_EQ(std::set<std::string>(heat.ends.begin(), heat.ends.begin() + 2),
            (std::set<std::string>{"4.0", "2.2"}));
  EXPECT_EQ(heat.ends.back(), "1.0");
  EXPECT_EQ(kept_builds(), 0U);
}

TEST_F(HeatTest, OneAloneIsComparedAsEver) {
  FakeHeat heat(*runner_, all_take({"1.0"}));
  run(heat);
  const AttemptResult result = result_of(heat, "1.0");
  EXPECT_EQ(result.verdict, Verdict::faster);
  EXPECT_EQ(result.reward->pairs, 12);
}

TEST_F(HeatTest, WhatNeedsNoRunEndsBeforeTheNextIsBuilt) {
  FakeHeat heat(*runner_, all_take({"1.0", "broken", "2.0", "3.0"}));
  std::vector<std::size_t> ended;
  heat.on_another = [&] { ended.push_back(heat.ends.size()); };
  run(heat);
  EXPECT_EQ(ended, (std::vector<std::size_t>{0, 1, 2, 2}));
  EXPECT_EQ(result_of(heat, "broken").outcome, Outcome::build_failed);
  EXPECT_NE(result_of(heat, "broken").log.find("no compiler"), std::string::npos);
  EXPECT_EQ(result_of(heat, "2.0").verdict, Verdict::no_change);
  EXPECT_FALSE(result_of(heat, "2.0").reward.has_value()) << "the baseline's very binary";
  EXPECT_EQ(result_of(heat, "1.0").verdict, Verdict::faster);
  EXPECT_EQ(result_of(heat, "3.0").verdict, Verdict::slower);
  EXPECT_EQ(result_of(heat, "3.0").reward->pairs, 24);
}

TEST_F(HeatTest, OfEqualBinariesOneRuns) {
  std::vector<Lease> leases = all_take({"1.0", "3.0", "1.0"});
  leases[2].attempt = "twin";
  FakeHeat heat(*runner_, leases);
  run(heat);
  const AttemptResult first = result_of(heat, "1.0");
  const AttemptResult twin = result_of(heat, "twin");
  EXPECT_EQ(twin.reused_attempt, "1.0");
  EXPECT_EQ(twin.verdict, first.verdict);
  EXPECT_EQ(twin.reward, first.reward);
  EXPECT_TRUE(twin.samples.empty());
  EXPECT_EQ(count_runs("1.0"), 24 + 1U);
  // So does the next heat.
  std::vector<Lease> later = all_take({"3.0"});
  later[0].attempt = "later";
  FakeHeat next(*runner_, later);
  run(next);
  EXPECT_EQ(result_of(next, "later").reused_attempt, "3.0");
}

TEST_F(HeatTest, ATwinOfWhatDoesNotCountIsHandedBack) {
  std::vector<Lease> leases = all_take({"1.0", "3.0", "1.0"});
  leases[2].attempt = "twin";
  FakeHeat heat(*runner_, leases);
  heat.counts = false;
  run(heat);
  EXPECT_FALSE(heat.results.contains("twin"));
  EXPECT_TRUE(heat.handed_back.contains("twin"));
}

TEST_F(HeatTest, AWrongOneLeavesAloneAndWithItsTwin) {
  std::vector<Lease> leases = all_take({"1.0", "wrong", "3.0", "wrong"});
  leases[3].attempt = "twin";
  FakeHeat heat(*runner_, leases);
  run(heat);
  const AttemptResult wrong = result_of(heat, "wrong");
  EXPECT_EQ(wrong.outcome, Outcome::miscompiled);
  EXPECT_FALSE(wrong.reward.has_value());
  const AttemptResult twin = result_of(heat, "twin");
  EXPECT_EQ(twin.outcome, Outcome::miscompiled);
  EXPECT_NE(twin.reason.find("attempt wrong"), std::string::npos) << twin.reason;
  EXPECT_EQ(result_of(heat, "1.0").reward->pairs, 24);
  EXPECT_EQ(result_of(heat, "3.0").reward->pairs, 24);
}

TEST_F(HeatTest, WhomAllOthersFailedBesideIsCompared) {
  FakeHeat heat(*runner_, all_take({"wrong", "1.0"}));
  run(heat);
  EXPECT_EQ(result_of(heat, "wrong").outcome, Outcome::miscompiled);
  EXPECT_EQ(result_of(heat, "1.0").verdict, Verdict::faster);
  EXPECT_EQ(result_of(heat, "1.0").reward->pairs, 12);
}

TEST_F(HeatTest, OneThatIsStoppedLeavesTheOthersToTheRace) {
  FakeHeat heat(*runner_, all_take({"1.0", "1.5", "3.0"}));
  heat.on_another = [&, asked = 0]() mutable {
    if (++asked == 3) {
      heat.stop("1.0");
    }
  };
  run(heat);
  EXPECT_EQ(result_of(heat, "1.0").outcome, Outcome::cancelled);
  EXPECT_EQ(count_runs("1.0"), 0U);
  EXPECT_EQ(result_of(heat, "1.5").verdict, Verdict::faster);
  EXPECT_EQ(result_of(heat, "3.0").verdict, Verdict::slower);
}

TEST_F(HeatTest, AStopOfTheWorkerEndsAllWithoutAResultThatCounts) {
  FakeHeat heat(*runner_, all_take({"1.0", "1.5", "3.0"}));
  heat.on_another = [&, asked = 0]() mutable {
    if (++asked == 3) {
      worker_.request_stop();
    }
  };
  run(heat);
  for (const char* attempt : {"1.0", "1.5", "3.0"}) {
    EXPECT_EQ(result_of(heat, attempt).outcome, Outcome::cancelled) << attempt;
  }
}

TEST_F(HeatTest, TheMachinesTroubleHandsAllBackAndCountsForOne) {
  SandboxParts parts;
  parts.bubblewrap = folder_->path() / "bwrap";
  parts.init = "/no/such/init";
  // In the place of bwrap and init: good for builds, and lost after a dozen runs of benchmarks.
  ASSERT_TRUE(write_file_atomically(
                  parts.bubblewrap,
                  "#!/bin/bash\nwhile [ \"$1\" != -- ]; do shift; done\nreport=$3\nshift 5\n"
                  "case $* in */bench)\n  [ $(wc -l < " +
                      runs().string() +
                      ") -lt 12 ] || { echo lost >&2; exit 1; } ;; esac\n"
                      "\"$@\" && head -c " +
                      std::to_string(sizeof(InitReport)) + " /dev/zero >&\"$report\"\n",
                  0755)
                  .has_value());
  sandbox_ = Sandbox(parts);
  restart();
  FakeHeat heat(*runner_, all_take({"1.0", "1.5", "3.0"}));
  run(heat);
  ASSERT_EQ(heat.results.size(), 1U);
  ASSERT_TRUE(heat.results.begin()->second.has_error());
  EXPECT_EQ(heat.results.begin()->second.error().code, ErrorCode::unavailable);
  EXPECT_EQ(heat.handed_back.size(), 2U);
  EXPECT_EQ(kept_builds(), 0U);
}

TEST_F(HeatTest, TroubleWithOneCandidateCountsForThatOneAlone) {
  SandboxParts parts;
  parts.bubblewrap = folder_->path() / "bwrap";
  parts.init = "/no/such/init";
  // In the place of bwrap and init: it is lost over the build of one candidate.
  ASSERT_TRUE(write_file_atomically(
                  parts.bubblewrap,
                  "#!/bin/bash\nwhile [ \"$1\" != -- ]; do shift; done\nreport=$3\nshift 5\n"
                  "if [ -n \"$HONE_POLICY\" ] && grep -q takes-3.0_ \"$HONE_POLICY\"; then\n"
                  "  echo lost >&2; exit 1\nfi\n"
                  "\"$@\" && head -c " +
                      std::to_string(sizeof(InitReport)) + " /dev/zero >&\"$report\"\n",
                  0755)
                  .has_value());
  sandbox_ = Sandbox(parts);
  restart();
  std::vector<Lease> leases = all_take({"1.0", "1.5", "1.0", "3.0"});
  leases[2].attempt = "twin";
  FakeHeat heat(*runner_, leases);
  run(heat);
  ASSERT_EQ(heat.results.size(), 1U);
  ASSERT_TRUE(heat.results.contains("3.0"));
  EXPECT_TRUE(heat.results.at("3.0").has_error());
  for (const char* attempt : {"1.0", "1.5", "twin"}) {
    ASSERT_TRUE(heat.handed_back.contains(attempt)) << attempt;
    EXPECT_NE(heat.handed_back[attempt].find("another candidate"), std::string::npos);
  }
}

TEST_F(HeatTest, AWorkerThatEndsLeavesItsTidyingToTheNextStart) {
  context_->stopping = worker_.get_token();
  pool_ = std::make_unique<WorkspacePool>(folder_->path() / "targets", 4, *context_);
  runner_ = std::make_unique<JobRunner>(*pool_, *context_);
  FakeHeat heat(*runner_, all_take({"1.0", "1.5", "3.0"}));
  heat.on_another = [&, asked = 0]() mutable {
    if (++asked == 3) {
      worker_.request_stop();
    }
  };
  run(heat);
  EXPECT_GT(kept_builds(), 0U) << "a tree of any size would have been waited for";
  restart();
  FakeHeat next(*runner_, all_take({"1.0"}));
  runner_->run_heat(next, Slot{0, std::nullopt}, {});
  EXPECT_EQ(result_of(next, "1.0").verdict, Verdict::faster);
  EXPECT_EQ(kept_builds(), 0U);
}

TEST_F(HeatTest, OneCheckOfTheMachineForAllThatAskForIt) {
  std::vector<Lease> leases = all_take({"1.0", "1.5", "3.0"});
  for (Lease& lease : leases) {
    lease.self_check = true;
  }
  FakeHeat heat(*runner_, leases);
  run(heat);
  std::size_t checks = 0;
  for (const char* attempt : {"1.0", "1.5", "3.0"}) {
    const AttemptResult result = result_of(heat, attempt);
    EXPECT_EQ(result.outcome, Outcome::ok);
    checks += result.self_check ? 1 : 0;
    if (result.self_check) {
      EXPECT_EQ(result.self_check->verdict, Verdict::no_change);
    }
  }
  EXPECT_EQ(checks, 1U);
}

TEST_F(HeatTest, AFullDiskAndAMetricThatRepeatsMakeNoHeat) {
  // A build takes at least two blocks: three may not take that.
  disk_.bytes = 20'000;
  restart();
  int asked = 0;
  FakeHeat heat(*runner_, all_take({"1.0", "3.0"}));
  heat.on_another = [&] { ++asked; };
  run(heat);
  EXPECT_EQ(asked, 0);
  EXPECT_EQ(result_of(heat, "1.0").verdict, Verdict::faster);
  disk_ = {};
  target_.benchmark.metric = {.metric = Metric::binary_bytes};
  target_.benchmark.compare_output = false;
  restart();
  FakeHeat sizes(*runner_, all_take({"1.0", "3.0"}));
  sizes.on_another = [&] { ++asked; };
  run(sizes);
  EXPECT_EQ(asked, 0);
  EXPECT_EQ(result_of(sizes, "1.0").outcome, Outcome::ok);
}

TEST_F(HeatTest, WhatAKilledHeatLeftIsRemoved) {
  const fs::path left = workspace() / "kept-s000-03";
  fs::create_directories(left / "deep");
  FakeHeat heat(*runner_, all_take({"1.0", "3.0"}));
  heat.on_another = [&] { EXPECT_FALSE(fs::exists(left)); };
  run(heat);
  EXPECT_EQ(result_of(heat, "1.0").verdict, Verdict::faster);
  EXPECT_EQ(kept_builds(), 0U);
}

}  // namespace
}  // namespace hone
