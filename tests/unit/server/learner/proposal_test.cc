// Proposing: what is learnt of trials, what is made of them, and whether that finds what is there.
#include "server/learner/proposing/proposal.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/pipelines/o3_pipeline.h"
#include "common/search/seeded_candidates.h"
#include "common/stats/normal.h"
#include "server/learner/proposing/candidate_parts.h"

namespace hone {
namespace {

Assignment knob(const std::string& name, const std::string& value, const std::string& file = "") {
  const Decision decision{"default<O3>", {{name, value}}};
  Assignment assignment;
  (file.empty() ? assignment.general : assignment.files[file]) = decision;
  return assignment;
}

Assignment both(Assignment left, const Assignment& right) {
  left.general.knobs.insert(left.general.knobs.end(), right.general.knobs.begin(),
                            right.general.knobs.end());
  return tidy(std::move(left));
}

Trial trial(const std::string& id, Assignment assignment, double reward, double deviation) {
  Trial made;
  made.candidate = id;
  made.assignment = tidy(std::move(assignment));
  made.reward = TrialReward{reward, deviation};
  return made;
}

EffectModel fit(const std::vector<Trial>& trials) {
  return EffectModel::fit({"", trials, {}}, 19);
}

TEST(Assignment, IsTheRulesItCameFrom) {
  Assignment assignment = knob("unroll-count", "4");
  assignment.files["lib/a.c"] = {"default<O3>", {{"unroll-count", "2"}, {"enable-pre", "false"}}};
  assignment.files["lib/b.c"] = Decision();
  const std::vector<Rule> rules = rules_of(tidy(assignment), {"O2", "O3"});
  ASSERT_EQ(rules.size(), 3U);
  EXPECT_EQ(rules[2].source, "*") << "the first rule that matches governs";
  EXPECT_EQ(rules[0].levels, (std::vector<std::string>{"O2", "O3"}));
  EXPECT_EQ(assignment_of(rules), tidy(assignment));
  EXPECT_EQ(note_of(tidy(assignment)),
            "-unroll-count=4; lib/a.c: -enable-pre=false -unroll-count=2; lib/b.c: plain");
}

TEST(Assignment, RulesThatSayMoreAreNone) {
  Rule rule;
  rule.source = "lib/*.c";
  EXPECT_FALSE(assignment_of({rule}));
  rule.source = "*";
  rule.option_fingerprint = std::string(32, 'a');
  EXPECT_FALSE(assignment_of({rule}));
  rule.option_fingerprint.clear();
  rule.decision.choice = "any";
  EXPECT_FALSE(assignment_of({rule}));
}

TEST(CandidateParts, OfAnEditedPipelineAreItsDifferencesFromTheCompilersOwn) {
  Decision decision;
  decision.pipeline = std::string(o3_pipeline(19)) + ",function(adce)";
  for (const KnobValue& value : restoring_knobs(19)) {
    decision.knobs.push_back({std::string(value.name), std::string(value.value)});
  }
  std::map<std::string, double> parts = parts_of(decision, 19);
  EXPECT_EQ(parts.erase("pipeline " + decision.pipeline), 1U);
  EXPECT_EQ(parts, (std::map<std::string, double>{{"flattened", 1}, {"pass adce", 1}}));
  EXPECT_TRUE(parts_of({"default<Oz>", {}}, 19).empty());
}

TEST(EffectModel, JudgesByAllThatShareAPart) {
  // Of "a" four sober trials say 2 %; of "b" one lucky look says 5 %, another 0.
  std::vector<Trial> trials;
  const Assignment a = knob("unroll-count", "4");
  const Assignment b = knob("unroll-count", "8");
  for (const auto& [name, value] :
       {std::pair("enable-pre", "false"), std::pair("slp-max-vf", "2"),
        std::pair("enable-misched", "false"), std::pair("unroll-threshold", "75")}) {
    trials.push_back(trial(name, both(a, knob(name, value)), 0.02, 0.004));
    trials.push_back(trial(std::string("b ") + name, both(b, knob(name, value)), 0, 0.004));
  }
  trials.push_back(trial("lucky", b, 0.05, 0.03));
  const EffectModel model = fit(trials);
  const std::vector<EffectEstimate> worth = model.estimate(std::vector<Assignment>{a, b});
  EXPECT_GT(worth[0].mean, 0.008);
  EXPECT_LT(worth[1].mean, 0.006);
  EXPECT_EQ(choose_finalists({}, trials).size(), 3U);
  EXPECT_NE(choose_finalists({}, trials)[0], "lucky");
}

TEST(EffectModel, OneMeasurementOfEqualBinariesCountsOnce) {
  // The same lucky number five times over is one look, and says that the settings beside do
  // nothing.
  const Assignment good = knob("unroll-count", "4");
  std::vector<Trial> once = {trial("a", good, 0.03, 0.01)};
  std::vector<Trial> often = once;
  for (const auto& [name, value] :
       {std::pair("enable-pre", "false"), std::pair("slp-max-vf", "2"),
        std::pair("enable-misched", "false"), std::pair("unroll-threshold", "75")}) {
    often.push_back(trial(name, both(good, knob(name, value)), 0.03, 0.01));
  }
  const std::vector<Assignment> asked = {good, knob("enable-pre", "false")};
  const EffectEstimate alone = fit(once).estimate(asked)[0];
  const std::vector<EffectEstimate> together = fit(often).estimate(asked);
  EXPECT_NEAR(together[0].mean, alone.mean, 0.003);
  EXPECT_GT(together[0].deviation, 0.6 * alone.deviation);
  EXPECT_LT(together[1].deviation, 0.5 * fit(once).estimate(asked)[1].deviation);
}

TEST(EffectModel, AParentWithNothingMoreIsNotTriedAgain) {
  const Assignment good = knob("unroll-count", "4");
  const Assignment with_nothing = both(good, knob("enable-pre", "false"));
  const Assignment with_nothing_too = both(good, knob("enable-pre", "true"));
  const Assignment with_something = both(good, knob("slp-max-vf", "2"));
  const std::vector<Trial> trials = {trial("a", good, 0.03, 0.003),
                                     trial("b", with_nothing, 0.03, 0.003),
                                     trial("c", knob("enable-pre", "true"), 0, 0.0002)};
  Random random(1);
  const EffectModel model = fit(trials);
  const std::vector<std::size_t> wins =
      model.count_best(std::vector<Assignment>{with_nothing_too, with_something},
                       std::vector<Assignment>{good, with_nothing}, 0.002, 400, random);
  EXPECT_GT(wins[1], 2 * wins[0]);
  EXPECT_LT(wins[0] + wins[1], 400U) << "often neither is better";
}

// Three products on which "a" brings 2 %, and on a fourth nothing is known of it.
TEST(EffectModel, LearnsFromOtherTargetsWhereEffectsAreAlike) {
  const std::vector<std::pair<const char*, const char*>> knobs = {
      {"enable-pre", "false"},    {"slp-max-vf", "2"},         {"enable-misched", "false"},
      {"unroll-threshold", "75"}, {"inline-threshold", "600"}, {"unroll-runtime", "false"}};
  const auto others = [&](bool alike) {
    std::vector<TargetTrials> made;
    for (int product = 0; product < 4; ++product) {
      TargetTrials& other = made.emplace_back();
      other.target = "product " + std::to_string(product);
      for (std::size_t i = 0; i < knobs.size(); ++i) {
        // Alike: the first knob is good and the second bad everywhere; else each has its own.
        const std::size_t best = alike ? 0 : (i + static_cast<std::size_t>(product)) % 5 + 1;
        const double gain = alike ? (i == 0   ? 0.03
                                     : i == 1 ? -0.03
                                              : 0.001)
                                  : (best == 1   ? 0.03
                                     : best == 2 ? -0.03
                                                 : 0.001);
        other.trials.push_back(
            trial("t", knob(knobs[i].first, knobs[i].second),
                  gain + 1e-6 * static_cast<double>(product * 10 + static_cast<int>(i)), 0.004));
      }
    }
    return made;
  };
  const TargetTrials own{"", {trial("own", knob("unroll-count", "4"), 0.01, 0.004)}, {}};
  const std::vector<Assignment> asked = {knob("enable-pre", "false"), knob("slp-max-vf", "2")};
  const EffectModel with = EffectModel::fit(own, 19, others(true));
  EXPECT_GT(with.sharing(), 0);
  EXPECT_GT(with.estimate(asked)[0].mean, 0.006);
  EXPECT_LT(with.estimate(asked)[1].mean, -0.006);
  const EffectModel alone = EffectModel::fit(own, 19);
  EXPECT_EQ(alone.sharing(), 0);
  EXPECT_NEAR(alone.estimate(asked)[0].mean, 0, 1e-9);
  EXPECT_LT(with.estimate(asked)[0].deviation, alone.estimate(asked)[0].deviation);
  const EffectModel unlike = EffectModel::fit(own, 19, others(false));
  EXPECT_EQ(unlike.sharing(), 0) << "products that have nothing in common say nothing";
  EXPECT_NEAR(unlike.estimate(asked)[0].mean, 0, 1e-9);
}

TEST(Propose, IsExactDistinctAndAFunctionOfItsInput) {
  ProposalSpec spec;
  spec.count = 20;
  spec.variants.files = {"a.c", "b.c"};
  const std::vector<Trial> trials = {trial("t", knob("unroll-count", "4"), 0.03, 0.003),
                                     trial("u", knob("enable-pre", "false"), -0.01, 0.003)};
  const Result<CandidateSet> set = propose(spec, trials);
  ASSERT_TRUE(set.has_value()) << set.error().describe();
  ASSERT_EQ(set->candidates.size(), 20U);
  std::set<std::string> keys = {key_of(trials[0].assignment), key_of(trials[1].assignment)};
  std::size_t with_the_good_part = 0;
  for (const Candidate& candidate : set->candidates) {
    ASSERT_TRUE(candidate.log_propensity);
    EXPECT_LT(*candidate.log_propensity, 0);
    const std::optional<Assignment> assignment = assignment_of(candidate.rules);
    ASSERT_TRUE(assignment) << candidate.note;
    EXPECT_TRUE(keys.insert(key_of(*assignment)).second) << candidate.note << " was tried";
    with_the_good_part += candidate.note.find("-unroll-count=4") != std::string::npos ? 1 : 0;
  }
  EXPECT_GE(with_the_good_part, 8U) << "most of what is drawn builds on what was good";
  EXPECT_EQ(to_json(*propose(spec, trials)), to_json(*set));
}

TEST(Propose, LeavesOutWhatHasFailed) {
  ProposalSpec spec;
  spec.count = kMaxCandidates;
  Trial failed = trial("t", knob("unroll-count", "4"), 0, 1);
  failed.reward.reset();
  failed.failed = true;
  const Trial good = trial("u", knob("enable-pre", "false"), 0.02, 0.003);
  const Result<CandidateSet> set = propose(spec, std::vector<Trial>{failed, good});
  ASSERT_TRUE(set.has_value()) << set.error().describe();
  for (const Candidate& candidate : set->candidates) {
    EXPECT_EQ(candidate.note.find("-unroll-count=4"), std::string::npos) << candidate.note;
  }
}

TEST(Propose, TheLastSetTakesTheBestApart) {
  ProposalSpec spec;
  spec.count = 6;
  spec.last = true;
  const Assignment best = both(knob("unroll-count", "4"), knob("enable-pre", "false"));
  Assignment with_file = best;
  with_file.files["a.c"] = {"default<O3>", {{"slp-max-vf", "2"}}};
  const std::vector<Trial> trials = {trial("t", with_file, 0.03, 0.003)};
  const Result<CandidateSet> set = propose(spec, trials);
  ASSERT_TRUE(set.has_value()) << set.error().describe();
  ASSERT_EQ(set->candidates.size(), 6U);
  std::size_t ablations = 0;
  for (const Candidate& candidate : set->candidates) {
    if (candidate.origin == "ablation") {
      ++ablations;
      EXPECT_EQ(candidate.log_propensity, 0);
      EXPECT_LT(key_of(*assignment_of(candidate.rules)).size(), key_of(with_file).size());
    } else {
      EXPECT_LT(*candidate.log_propensity, 0);
    }
  }
  EXPECT_EQ(ablations, 3U) << "half of the set";
  spec.last = false;
  const Result<CandidateSet> other = propose(spec, trials);
  for (const Candidate& candidate : other->candidates) {
    EXPECT_NE(candidate.origin, "ablation");
  }
  EXPECT_EQ(make_ablations(spec.variants, with_file, {}).size(), 5U)
      << "two settings, the file's setting, the file, all others' decision";
}

TEST(Finalists, OfEqualBinariesTheShortestStands) {
  const Assignment shorter = knob("unroll-count", "4");
  const std::vector<Trial> trials = {
      trial("long", both(shorter, knob("enable-pre", "false")), 0.03, 0.003),
      trial("short", shorter, 0.03, 0.003), trial("other", knob("slp-max-vf", "2"), 0.02, 0.003)};
  EXPECT_EQ(choose_finalists({}, trials), (std::vector<std::string>{"short", "other"}));
}

TEST(Trials, AreReadWithWhatBecameOfThem) {
  const auto item = [](const char* id, Json job) {
    Rule rule;
    rule.decision.knobs = {{"unroll-count", "4"}};
    Candidate candidate;
    candidate.id = id;
    candidate.rules = {rule};
    Json made = to_json(candidate);
    made["job"] = std::move(job);
    return made;
  };
  const Json reward{{"value", 0.02},
                    {"low", 0.01},
                    {"high", 0.03},
                    {"confidence", 0.95},
                    {"pairs", 12},
                    {"noise", 0.01},
                    {"detectable_effect", 0.01}};
  const Json items = Json::array(
      {item("ok",
            {{"state", "done"}, {"outcome", "ok"}, {"verdict", "faster"}, {"reward", reward}}),
       item("same", {{"state", "done"}, {"outcome", "ok"}, {"verdict", "no_change"}}),
       item("wrong", {{"state", "done"}, {"outcome", "miscompiled"}, {"reason", "differs"}}),
       item("noisy", {{"state", "done"}, {"outcome", "ok"}, {"verdict", "too_noisy"}}),
       item("running", {{"state", "leased"}}), item("unraced", Json())});
  const Result<std::vector<Trial>> trials = trials_from_json(items);
  ASSERT_TRUE(trials.has_value()) << trials.error().describe();
  ASSERT_EQ(trials->size(), 5U);
  EXPECT_DOUBLE_EQ((*trials)[0].reward->value, 0.02);
  EXPECT_NEAR((*trials)[0].reward->standard_deviation, 0.0051, 1e-4);
  EXPECT_EQ((*trials)[1].reward->value, 0);
  EXPECT_TRUE((*trials)[2].failed);
  EXPECT_FALSE((*trials)[3].failed);
  EXPECT_FALSE((*trials)[3].reward);
  EXPECT_FALSE((*trials)[4].reward);
}

// A product whose every setting has an effect of its own, and a race that measures with 1 % error.
class Simulation {
 public:
  explicit Simulation(std::uint64_t seed) : random_(seed) {}

  double worth(const Assignment& assignment) {
    double sum = 0;
    for (const auto& [part, amount] : parts_of(assignment.general, 19)) {
      if (!effects_.contains(part)) {
        // Few settings do much: one in eight.
        effects_[part] = random_.chance(1, 8) ? 0.012 * normal() : 0.001 * normal();
      }
      sum += amount * effects_[part];
    }
    return sum;
  }
  Trial measure(const std::string& id, const Assignment& assignment) {
    return trial(id, assignment, worth(assignment) + 0.01 * normal(), 0.01);
  }

 private:
  double normal() { return normal_quantile(random_.uniform() + 0x1.0p-54); }
  Random random_;
  std::map<std::string, double> effects_;
};

// What the first of the finalists is really worth after 48 trials.
double found(std::uint64_t seed, bool adaptive) {
  Simulation product(seed);
  SeedSpec first;
  first.seed = seed;
  first.count = adaptive ? 16 : 48;
  std::vector<Trial> trials;
  const SeededCandidates seeded = make_seeded_candidates(first).value();
  for (const ProposedCandidate& candidate : seeded.candidates) {
    trials.push_back(
        product.measure(std::to_string(trials.size()), *assignment_of(candidate.rules)));
  }
  while (trials.size() < 48) {
    ProposalSpec spec;
    spec.seed = seed + trials.size();
    spec.variants.limit = 200;
    const CandidateSet set = propose(spec, trials).value();
    for (const Candidate& candidate : set.candidates) {
      trials.push_back(
          product.measure(std::to_string(trials.size()), *assignment_of(candidate.rules)));
    }
  }
  if (!adaptive) {  // the race's best, as a campaign without a proposer has it
    const auto best =
        std::ranges::max_element(trials, {}, [](const Trial& one) { return one.reward->value; });
    return product.worth(best->assignment);
  }
  const std::vector<std::string> finalists = choose_finalists({}, trials);
  return finalists.empty() ? 0 : product.worth(trials[std::stoul(finalists[0])].assignment);
}

TEST(Propose, FindsMoreThanABlindDrawOfTheSameSize) {
  double adaptive = 0;
  double blind = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    adaptive += found(seed, true) / 6;
    blind += found(seed, false) / 6;
  }
  EXPECT_GT(adaptive, 1.3 * blind) << adaptive << " against " << blind;
}

// Tails and edits of a campaign for size take the passes that a graph knows to be worth something,
// and the set says so.
TEST(Propose, DrawsPassesByASynergyGraph) {
  auto only = std::make_shared<SuccessorWeights>();
  only->set("reassociate", 0.1);
  const auto often = [](std::shared_ptr<const SuccessorWeights> successors) {
    ProposalSpec spec;
    spec.variants.objective = SearchObjective::size;
    spec.variants.successors = std::move(successors);
    Random random(1);
    std::size_t count = 0;
    for (const Variant& variant : make_variants(spec.variants, {}, {}, random)) {
      const bool drawn = variant.origin == "tail" || variant.origin == "edit";
      count += drawn && variant.note.find("reassociate") != std::string::npos ? 1 : 0;
    }
    const Result<CandidateSet> set = propose(spec, {});
    EXPECT_TRUE(set) << set.error().describe();
    const bool told = set && set->scheme.find("synergy graph") != std::string::npos;
    EXPECT_EQ(told, spec.variants.successors != nullptr);
    return count;
  };
  EXPECT_GT(often(only), 3 * std::max<std::size_t>(often(nullptr), 1));
}

}  // namespace
}  // namespace hone
