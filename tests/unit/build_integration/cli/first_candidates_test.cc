#include "build_integration/cli/first_candidates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/file.h"

namespace hone {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(SourcesToTune, NamedFilesStandInTheirOrder) {
  TuneSpec tune;
  tune.include = {"lib/z.c", "lib/a.c", "lib/z.c", "*"};
  tune.exclude = {"lib/a*"};
  EXPECT_THAT(sources_to_tune(tune, {}), ElementsAre("lib/z.c"));
}

TEST(SourcesToTune, PatternsAreLookedUpInTheFolder) {
  const TemporaryFolder folder = *TemporaryFolder::create("sources");
  std::filesystem::create_directories(folder.path() / "lib");
  for (const char* file : {"lib/b.cc", "lib/a.c", "lib/a.h", "main.c"}) {
    ASSERT_TRUE(write_file_atomically(folder.path() / file, "").has_value());
  }
  TuneSpec tune;
  tune.include = {"lib/*"};
  EXPECT_THAT(sources_to_tune(tune, folder.path()), ElementsAre("lib/a.c", "lib/b.cc"));
  tune.include = {"*"};
  EXPECT_THAT(sources_to_tune(tune, folder.path()), IsEmpty());
}

TEST(FirstCandidates, IndicesPropensitiesAndRulesAreThere) {
  TargetSpec target;
  target.tune.include = {"a.c"};
  const Result<CandidateSet> set = first_candidates(target, {}, BaselineKind::o3, 20, 1);
  ASSERT_TRUE(set.has_value()) << set.error().describe();
  ASSERT_EQ(set->candidates.size(), 20U);
  EXPECT_EQ(set->seed, 1U);
  EXPECT_FALSE(set->generator.empty());
  bool per_file = false;
  for (std::size_t i = 0; i < set->candidates.size(); ++i) {
    const Candidate& candidate = set->candidates[i];
    EXPECT_EQ(candidate.index, static_cast<std::int64_t>(i));
    ASSERT_TRUE(candidate.log_propensity.has_value());
    EXPECT_LE(*candidate.log_propensity, 0.0);
    ASSERT_FALSE(candidate.rules.empty());
    per_file = per_file || candidate.rules.front().source == "a.c";
  }
  EXPECT_TRUE(per_file);
}

TEST(FirstCandidates, OwnCommandLineMeansO2Too) {
  const Result<CandidateSet> set = first_candidates({}, {}, BaselineKind::own, 1, 1);
  ASSERT_TRUE(set.has_value());
  EXPECT_THAT(set->candidates.front().rules.front().levels, ElementsAre("O2", "O3"));
}

TEST(FirstCandidates, AnotherSeedGivesOthers) {
  const auto notes = [](std::uint64_t seed) {
    const CandidateSet set = *first_candidates({}, {}, BaselineKind::o3, 5, seed);
    std::vector<std::string> list;
    for (const Candidate& candidate : set.candidates) {
      list.push_back(candidate.note);
    }
    return list;
  };
  EXPECT_EQ(notes(1), notes(1));
  EXPECT_NE(notes(1), notes(2));
}

}  // namespace
}  // namespace hone
