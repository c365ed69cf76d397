#include "build_integration/cli/env_search.h"

#include "common/pipelines/action_space.h"
#include "common/pipelines/forest.h"
#include "common/pipelines/o3_pipeline.h"
#include "common/search/genetic_search.h"
#include "common/search/greedy_search.h"
#include "common/search/hill_climb.h"
#include "common/search/random_search.h"

namespace hone {
namespace {

constexpr int kLlvmMajor = 19;

// The compiler's own pipeline, a pipeline for each node at its top.
Result<Sequence> own_pipeline() {
  HONE_TRY(const Forest forest, parse_pipeline(oz_pipeline(kLlvmMajor)));
  Sequence sequence;
  for (const PipelineNode& node : forest.nodes) {
    sequence.push_back(print(node));
  }
  return sequence;
}

}  // namespace

std::optional<SearchKind> parse_search_kind(std::string_view text) {
  if (text == "random") {
    return SearchKind::random;
  }
  if (text == "greedy") {
    return SearchKind::greedy;
  }
  if (text == "hill-climb") {
    return SearchKind::hill_climb;
  }
  return text == "genetic" ? std::optional(SearchKind::genetic) : std::nullopt;
}

Result<std::unique_ptr<SequenceSearch>> make_search(const SearchSettings& settings) {
  HONE_TRY(const ActionSpace space, ActionSpace::create(kLlvmMajor));
  std::vector<std::string> actions;
  for (const Action& action : space.actions()) {
    actions.push_back(action.pipeline);
  }
  if (!settings.passes_only) {
    for (const Action& whole : space.whole_pipelines()) {
      actions.push_back(whole.pipeline);
    }
  }
  HONE_TRY(Sequence start, own_pipeline());
  switch (settings.kind) {
    case SearchKind::random:
      return std::make_unique<RandomSearch>(std::move(actions), settings.length, settings.width,
                                            settings.seed);
    case SearchKind::greedy:
      return std::make_unique<GreedySearch>(std::move(actions), settings.length);
    case SearchKind::hill_climb:
      // What the compiler does may be longer than what may be added to it.
      return std::make_unique<HillClimb>(std::move(actions), start, start.size() + settings.length,
                                         settings.width, settings.seed);
    case SearchKind::genetic: {
      GeneticSettings genetic;
      genetic.population = 2 * settings.width;
      genetic.elite = settings.width / 4 + 1;
      genetic.length = settings.length;
      genetic.seed = settings.seed;
      HONE_TRY(Forest own, parse_pipeline(oz_pipeline(kLlvmMajor)));
      return std::make_unique<GeneticSearch>(genetic, std::vector<Forest>{std::move(own)});
    }
  }
  return fail(ErrorCode::internal, "no such search");
}

}  // namespace hone
