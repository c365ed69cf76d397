#include "server/campaigns/winning_policy.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

JobView confirm_job() {
  JobView job;
  job.campaign = "c1";
  job.reward = RewardEstimate{.value = 0.0213, .low = 0.0101, .high = 0.032, .pairs = 64};
  job.result = AttemptResult{};
  job.result->toolchain.compiler = "Debian clang version 19.1.7 (3+b1)";
  for (const char* source : {"lib/a.c", "test/t.c", "test/t.c"}) {
    EffectiveDecision decision;
    decision.source = source;
    job.result->decisions.push_back(decision);
  }
  return job;
}

Candidate knob_candidate() {
  Candidate candidate;
  candidate.id = "k1";
  candidate.origin = "knob";
  candidate.note = "-unroll-count=4";
  candidate.rules.resize(1);
  candidate.rules[0].decision.knobs = {{"unroll-count", "4"}};
  return candidate;
}

TEST(WinningPolicy, ExclusionsComeBeforeTheCandidatesRules) {
  TargetSpec target;
  target.name = "lz4";
  target.tune = {.include = {"lib/*"}, .exclude = {"lib/hot.c"}, .deadline_seconds = {}};
  const Policy policy = winning_policy(target, knob_candidate(), confirm_job(), 1'700'000'000);
  ASSERT_EQ(policy.rules.size(), 3U);
  EXPECT_EQ(policy.rules[0].source, "lib/hot.c");
  EXPECT_EQ(policy.rules[0].decision, Decision{});
  EXPECT_EQ(policy.rules[0].levels.size(), 5U);
  EXPECT_EQ(policy.rules[1].source, "test/t.c");
  EXPECT_EQ(policy.rules[1].decision, Decision{});
  EXPECT_EQ(policy.rules[2], knob_candidate().rules[0]);
}

TEST(WinningPolicy, SaysWhereItComesFrom) {
  TargetSpec target;
  target.name = "lz4";
  target.source.git = GitSource{"https://x", std::string(40, 'a')};
  const Policy policy = winning_policy(target, knob_candidate(), confirm_job(), 1'700'000'000);
  EXPECT_EQ(policy.target, "lz4");
  EXPECT_EQ(policy.commit, std::string(40, 'a'));
  EXPECT_EQ(policy.created_at, 1'700'000'000);
  EXPECT_EQ(policy.compiler.version, "19.1.7");
  EXPECT_EQ(policy.compiler.major, 19);
  EXPECT_EQ(policy.provenance,
            "campaign c1, candidate k1 (knob: -unroll-count=4), reward +0.02130 [+0.01010, "
            "+0.03200] over 64 pairs against O3");
}

TEST(CompilerVersion, IsFoundOrEmpty) {
  EXPECT_EQ(compiler_version("clang version 14.0.6"), "14.0.6");
  EXPECT_EQ(compiler_version("Ubuntu clang version 18.1.3 (1ubuntu1)"), "18.1.3");
  EXPECT_EQ(compiler_version("gcc (Debian 12.2.0-14) 12.2.0"), "");
}

}  // namespace
}  // namespace hone
