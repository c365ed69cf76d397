#include "common/search/seeded_candidates.h"

#include <cmath>
#include <map>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/hash.h"
#include "common/pipelines/action_table.h"
#include "common/pipelines/forest.h"
#include "common/pipelines/knob_table.h"

namespace hone {
namespace {

SeedSpec spec_of(std::size_t count, std::vector<std::string> sources = {},
                 SearchObjective objective = SearchObjective::time) {
  SeedSpec spec;
  spec.seed = 7;
  spec.count = count;
  spec.sources = std::move(sources);
  spec.objective = objective;
  return spec;
}

std::string text_of(const SeededCandidates& set) {
  std::string text = set.generator + "\n" + set.scheme + "\n" + std::to_string(set.pool_size);
  for (const ProposedCandidate& candidate : set.candidates) {
    text += "\n" + candidate.origin + "|" + candidate.note + "|" +
            std::to_string(std::llround(candidate.log_propensity * 0x1p40));
    for (const Rule& rule : candidate.rules) {
      text += "|" + rule.source + "|" + rule.decision.pipeline;
      for (const Knob& knob : rule.decision.knobs) {
        text += "|" + knob.name + "=" + knob.value;
      }
    }
  }
  return text;
}

TEST(SeededCandidates, EveryDecisionIsAllowedAndCanonical) {
  for (const SearchObjective objective : {SearchObjective::time, SearchObjective::size}) {
    const SeededCandidates set =
        *make_seeded_candidates(spec_of(300, {"src/a.c", "src/b.c"}, objective));
    ASSERT_EQ(set.candidates.size(), 300U);
    for (const ProposedCandidate& candidate : set.candidates) {
      ASSERT_EQ(candidate.rules.size(), 1U);
      const Decision& decision = candidate.rules[0].decision;
      const Forest forest = *parse_pipeline(decision.pipeline);
      EXPECT_TRUE(check_pipeline(forest, 19)) << decision.pipeline;
      EXPECT_EQ(print(canonical(forest)), decision.pipeline);
      for (const Knob& knob : decision.knobs) {
        EXPECT_TRUE(check_knob(knob.name, knob.value, 19)) << knob.name << "=" << knob.value;
      }
      EXPECT_FALSE(is_default(decision.pipeline) && decision.knobs.empty()) << "the baseline";
      EXPECT_FALSE(candidate.note.empty());
    }
  }
}

TEST(SeededCandidates, NoneOccursTwice) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    SeedSpec spec = spec_of(400, {"a.c", "a.c", "b.c"});
    spec.seed = seed;
    std::set<std::string> seen;
    const SeededCandidates set = *make_seeded_candidates(spec);
    for (const ProposedCandidate& candidate : set.candidates) {
      std::string key = candidate.rules[0].source + candidate.rules[0].decision.pipeline;
      for (const Knob& knob : candidate.rules[0].decision.knobs) {
        key += knob.name + "=" + knob.value + ";";
      }
      EXPECT_TRUE(seen.insert(key).second) << key;
    }
  }
}

TEST(SeededCandidates, SameSpecificationGivesTheSameBytes) {
  const std::string text = text_of(*make_seeded_candidates(spec_of(50, {"x.c"})));
  EXPECT_EQ(text, text_of(*make_seeded_candidates(spec_of(50, {"x.c"}))));
  SeedSpec other = spec_of(50, {"x.c"});
  other.seed = 8;
  EXPECT_NE(text, text_of(*make_seeded_candidates(other)));
  // The same on every platform: changing the tables, weights or draws changes this line.
  EXPECT_EQ(to_hex(hash128(text)), "061d8a70dcf383cc94c155c0c814ae53");
}

TEST(SeededCandidates, PropensitiesAreLogarithmsOfProbabilities) {
  const SeededCandidates set = *make_seeded_candidates(spec_of(20));
  ASSERT_EQ(set.candidates.size(), 20U);
  for (const ProposedCandidate& candidate : set.candidates) {
    EXPECT_TRUE(std::isfinite(candidate.log_propensity));
    EXPECT_LT(candidate.log_propensity, 0);
    // No member is rarer than one of a stratum of weight 10 % with the whole pool in it.
    EXPECT_GT(candidate.log_propensity, std::log(0.1 / 8 / static_cast<double>(set.pool_size)));
  }
  EXPECT_THAT(set.scheme, testing::HasSubstr("knob (50, "));
}

TEST(SeededCandidates, MixtureFollowsItsWeights) {
  std::map<std::string, int> origins;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SeedSpec spec = spec_of(10, {"a.c", "b.c"});
    spec.seed = seed;
    const SeededCandidates set = *make_seeded_candidates(spec);
    for (const ProposedCandidate& candidate : set.candidates) {
      ++origins[candidate.origin];
    }
  }
  // 400 draws; four standard errors of 30 % are 37.
  EXPECT_NEAR(origins["knob"], 140, 39);
  EXPECT_NEAR(origins["o3-mutation"], 100, 35);
  EXPECT_NEAR(origins["random-pipeline"], 40, 24);
  EXPECT_NEAR(origins["per-file"], 120, 37);
}

TEST(SeededCandidates, SourcesGetVariantsOfTheirOwnAndOnlyThese) {
  const SeededCandidates set = *make_seeded_candidates(spec_of(200, {"src/a.c", "odd*.c", ""}));
  int per_file = 0;
  for (const ProposedCandidate& candidate : set.candidates) {
    const std::string& source = candidate.rules[0].source;
    EXPECT_EQ(candidate.origin == "per-file", source == "src/a.c");
    EXPECT_TRUE(source == "src/a.c" || source == "*") << source;
    per_file += candidate.origin == "per-file" ? 1 : 0;
  }
  EXPECT_GT(per_file, 10);
  const SeededCandidates without = *make_seeded_candidates(spec_of(200));
  for (const ProposedCandidate& candidate : without.candidates) {
    EXPECT_EQ(candidate.rules[0].source, "*");
  }
}

TEST(SeededCandidates, ObjectiveAndLevelsReachTheRules) {
  const SeededCandidates time = *make_seeded_candidates(spec_of(60));
  for (const ProposedCandidate& candidate : time.candidates) {
    EXPECT_EQ(candidate.rules[0].levels, std::vector<std::string>{"O3"});
    EXPECT_EQ(candidate.rules[0].decision.pipeline.find("default<Oz>"), std::string::npos);
    if (candidate.origin == "o3-mutation") {
      EXPECT_EQ(candidate.rules[0].decision.knobs.size(), 4U) << "the text alone is not O3";
    }
  }
  const SeededCandidates size = *make_seeded_candidates(spec_of(60, {}, SearchObjective::size));
  for (const ProposedCandidate& candidate : size.candidates) {
    EXPECT_EQ(candidate.rules[0].levels, (std::vector<std::string>{"Os", "Oz"}));
    EXPECT_EQ(candidate.rules[0].decision.pipeline.find("default<O3>"), std::string::npos);
  }
  SeedSpec spec = spec_of(5);
  spec.levels = {"O2", "O3"};
  EXPECT_EQ(make_seeded_candidates(spec)->candidates[0].rules[0].levels, spec.levels);
}

TEST(SeededCandidates, KnobsToTryFirstComeEarly) {
  int with_unrolling = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SeedSpec spec = spec_of(20);
    spec.seed = seed;
    const SeededCandidates set = *make_seeded_candidates(spec);
    for (const ProposedCandidate& candidate : set.candidates) {
      with_unrolling += candidate.note == "-unroll-count=4" ? 1 : 0;
    }
  }
  EXPECT_GT(with_unrolling, 8);  // about 14 of 50; an equal share of the knobs would give 3
}

TEST(SeededCandidates, ThePoolGrowsWithTheCount) {
  const Result<SeededCandidates> large = make_seeded_candidates(spec_of(2000));
  ASSERT_TRUE(large);
  EXPECT_EQ(large->candidates.size(), 2000U);
  EXPECT_GT(large->pool_size, 10000U);
}

TEST(SeededCandidates, RefusesBadSpecifications) {
  EXPECT_EQ(make_seeded_candidates(spec_of(0)).error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(make_seeded_candidates(spec_of(kMaxSeededCandidates + 1)).error().code,
            ErrorCode::invalid_argument);
  SeedSpec spec = spec_of(5);
  spec.llvm_major = 15;
  EXPECT_EQ(make_seeded_candidates(spec).error().code, ErrorCode::unsupported);
}

}  // namespace
}  // namespace hone
