#include "build_integration/cli/env_search.h"

#include "common/pipelines/forest.h"
#include "common/pipelines/o3_pipeline.h"
#include "common/search/elite_climb.h"
#include "common/search/genetic_search.h"
#include "common/search/greedy_search.h"
#include "common/search/hill_climb.h"
#include "common/search/portfolio_search.h"
#include "common/search/random_search.h"
#include "common/search/search_space.h"

namespace hone {
namespace {

constexpr int kLlvmMajor = 19;

EliteClimbSettings climb_settings(const SearchSettings& settings,
                                  std::vector<std::string> actions) {
  EliteClimbSettings climb;
  climb.actions = std::move(actions);
  climb.width = settings.width;
  climb.llvm_major = kLlvmMajor;
  climb.seed = settings.seed;
  return climb;
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
  if (text == "climb") {
    return SearchKind::climb;
  }
  if (text == "portfolio") {
    return SearchKind::portfolio;
  }
  return text == "genetic" ? std::optional(SearchKind::genetic) : std::nullopt;
}

Result<std::unique_ptr<SequenceSearch>> make_search(const SearchSettings& settings) {
  HONE_TRY(std::vector<std::string> actions, search_actions(kLlvmMajor, settings.passes_only));
  HONE_TRY(Sequence start, own_sequence(kLlvmMajor));
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
    case SearchKind::climb: {
      EliteClimbSettings climb = climb_settings(settings, std::move(actions));
      climb.start = {{"default<Oz>"}, std::move(start)};
      return std::make_unique<EliteClimb>(std::move(climb));
    }
    case SearchKind::portfolio: {
      if (settings.portfolio.empty()) {
        return fail(ErrorCode::invalid_argument, "the search 'portfolio' needs a portfolio");
      }
      EliteClimbSettings climb = climb_settings(settings, std::move(actions));
      climb.start = {{"default<Oz>"}, std::move(start)};
      return std::make_unique<PortfolioSearch>(
          settings.portfolio, settings.width,
          [climb](std::vector<RankedSequence> best) -> std::unique_ptr<SequenceSearch> {
            EliteClimbSettings from_best = climb;
            from_best.known = std::move(best);
            return std::make_unique<EliteClimb>(std::move(from_best));
          });
    }
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
