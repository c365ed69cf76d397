#include "server/learner/lab/lab_searches.h"

#include "common/pipelines/o3_pipeline.h"
#include "common/search/elite_climb.h"
#include "common/search/genetic_search.h"
#include "common/search/search_space.h"

namespace hone {
namespace {

constexpr int kLlvmMajor = 19;

}  // namespace

Result<std::vector<std::unique_ptr<SequenceSearch>>> lab_searches(std::uint64_t seed) {
  HONE_TRY(const std::vector<std::string> actions, search_actions(kLlvmMajor, false));
  HONE_TRY(const Sequence own, own_sequence(kLlvmMajor));
  HONE_TRY(const Forest forest, parse_pipeline(oz_pipeline(kLlvmMajor)));
  std::vector<std::unique_ptr<SequenceSearch>> searches;
  for (const std::vector<Sequence>& start :
       {std::vector<Sequence>{own}, std::vector<Sequence>{{"default<Oz>"}}}) {
    EliteClimbSettings climb;
    climb.actions = actions;
    climb.start = start;
    climb.seed = seed + searches.size();
    searches.push_back(std::make_unique<EliteClimb>(std::move(climb)));
  }
  GeneticSettings genetic;
  genetic.seed = seed + searches.size();
  searches.push_back(std::make_unique<GeneticSearch>(genetic, std::vector<Forest>{forest}));
  return searches;
}

}  // namespace hone
