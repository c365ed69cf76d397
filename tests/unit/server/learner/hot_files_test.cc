// What knowing where the time goes changes in proposing.
#include <algorithm>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "server/learner/proposing/changed_sources.h"
#include "server/learner/proposing/proposal.h"
#include "server/learner/proposing/proposed_target.h"

namespace hone {
namespace {

const Decision kUnrolled{"default<O3>", {{"unroll-count", "4"}}};
const std::vector<FileShare> kHot = {{"hot.c", 0.8}, {"warm.c", 0.1}};

TEST(HotFiles, APartCountsByTheTimeOfTheFilesThatHaveIt) {
  Trial everywhere;
  everywhere.candidate = "t";
  everywhere.assignment.general = kUnrolled;
  everywhere.reward = TrialReward{0.03, 0.002};
  const EffectModel model = EffectModel::fit({"", {everywhere}, kHot}, 19);
  Assignment hot;
  hot.files["hot.c"] = kUnrolled;
  Assignment warm;
  warm.files["warm.c"] = kUnrolled;
  Assignment cold;
  cold.files["cold.c"] = kUnrolled;
  Assignment but = everywhere.assignment;
  but.files["hot.c"] = Decision();
  const std::vector<EffectEstimate> worth =
      model.estimate(std::vector<Assignment>{everywhere.assignment, hot, warm, cold, but});
  EXPECT_GT(worth[0].mean, 0.025);
  EXPECT_GT(worth[1].mean, 0.6 * worth[0].mean);
  EXPECT_LT(worth[2].mean, 0.2 * worth[1].mean);
  EXPECT_GT(worth[2].mean, 0);
  EXPECT_NEAR(worth[3].mean, 0, 1e-9);
  EXPECT_LT(worth[4].mean, 0.3 * worth[0].mean) << "without the hottest file little is left";
}

TEST(HotFiles, AreTriedAloneAndTheOthersLeftPlain) {
  VariantSpec spec;
  spec.files = {"hot.c", "warm.c"};
  spec.hot = kHot;
  Assignment parent;
  parent.general = kUnrolled;
  Random random(1);
  const std::vector<Variant> variants =
      make_variants(spec, std::vector<Assignment>{parent}, {}, random);
  Assignment wanted;
  wanted.files["hot.c"] = kUnrolled;
  wanted.files["warm.c"] = kUnrolled;
  EXPECT_TRUE(std::ranges::any_of(variants, [&](const Variant& variant) {
    return variant.assignment == tidy(wanted) && variant.origin == "narrow";
  }));
}

TEST(HotFiles, AreThoseOfTheProfileThatMayBeTuned) {
  const Json target = Json::parse(R"({"name": "x", "spec": {
      "name": "x", "source": {"git": {"url": "https://example.org/x.git", "commit":
      "0123456789012345678901234567890123456789"}},
      "build": {"commands": [["make"]], "binaries": ["x"]},
      "benchmark": {"command": ["{build}/x"]},
      "tune": {"include": ["lib/*.c", "main.c"], "exclude": ["lib/b.c"]}},
    "profile": {"why_none": null, "files": [{"source": "lib/c.c", "share": 0.2},
      {"source": "lib/a.c", "share": 0.5}, {"source": "lib/b.c", "share": 0.1},
      {"source": "gen/d.c", "share": 0.1}]}})");
  const Result<ProposedTarget> read = parse_proposed_target(target);
  ASSERT_TRUE(read.has_value()) << read.error().describe();
  EXPECT_EQ(read->hot, (std::vector<FileShare>{{"lib/a.c", 0.5}, {"lib/c.c", 0.2}}));
  EXPECT_EQ(read->include, (std::vector<std::string>{"lib/*.c", "main.c"}));
  Json unknown = target;
  unknown["profile"] = nullptr;
  EXPECT_TRUE(parse_proposed_target(unknown)->hot.empty());
  unknown["profile"] = {{"why_none", nullptr}, {"files", {{{"source", "a.c"}, {"share", 7}}}}};
  EXPECT_FALSE(parse_proposed_target(unknown).has_value());
  EXPECT_FALSE(parse_proposed_target(Json("gone")).has_value());
}

EffectiveDecision object(const std::string& source, const std::string& state) {
  EffectiveDecision decision;
  decision.source = source;
  decision.state_id = state;
  return decision;
}

TEST(ChangedSources, AreToldByTheirModules) {
  const SourceStates before =
      source_states({object("same.c", "1"), object("twice.c", "2"), object("twice.c", "3"),
                     object("gone.c", "4"), object("changed.c", "5"), object("unknown.c", "")});
  const SourceStates now =
      source_states({object("same.c", "1"), object("twice.c", "3"), object("twice.c", "2"),
                     object("new.c", "4"), object("changed.c", "6"), object("unknown.c", "")});
  EXPECT_EQ(changed_sources(now, before),
            (std::set<std::string>{"changed.c", "new.c", "unknown.c"}));
  EXPECT_EQ(changed_sources(before, before), std::set<std::string>{"unknown.c"});
}

}  // namespace
}  // namespace hone
