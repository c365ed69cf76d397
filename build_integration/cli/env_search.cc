#include "build_integration/cli/env_search.h"

#include <array>
#include <utility>

#include "common/pipelines/forest.h"
#include "common/pipelines/o3_pipeline.h"
#include "common/search/elite_climb.h"
#include "common/search/evolution_strategy.h"
#include "common/search/genetic_search.h"
#include "common/search/greedy_search.h"
#include "common/search/hill_climb.h"
#include "common/search/portfolio_search.h"
#include "common/search/random_search.h"
#include "common/search/search_bandit.h"
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
  climb.successors = settings.successors;
  return climb;
}

// The portfolio first, then climbing from the best of it.
std::unique_ptr<SequenceSearch> portfolio_then(std::vector<Sequence> portfolio, std::size_t width,
                                               EliteClimbSettings climb) {
  return std::make_unique<PortfolioSearch>(
      std::move(portfolio), width,
      [climb =
           std::move(climb)](std::vector<RankedSequence> best) -> std::unique_ptr<SequenceSearch> {
        EliteClimbSettings from_best = climb;
        from_best.known = std::move(best);
        return std::make_unique<EliteClimb>(std::move(from_best));
      });
}

Result<std::unique_ptr<SequenceSearch>> make_bandit(const SearchSettings& settings) {
  const SearchKind first = settings.portfolio.empty() ? SearchKind::climb : SearchKind::portfolio;
  const std::array<std::pair<const char*, SearchKind>, 5> kinds = {{
      {"portfolio", first},
      {"genetic", SearchKind::genetic},
      {"evolution", SearchKind::evolution},
      {"hill-climb", SearchKind::hill_climb},
      {"random", SearchKind::random},
  }};
  std::vector<BanditArm> arms;
  for (const auto& [name, kind] : kinds) {
    SearchSettings one = settings;
    one.kind = kind;
    one.seed = settings.seed + arms.size();
    HONE_TRY(std::unique_ptr<SequenceSearch> search, make_search(one));
    arms.push_back({name, std::move(search)});
  }
  return std::make_unique<SearchBandit>(std::move(arms));
}

}  // namespace

std::optional<SearchKind> parse_search_kind(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, SearchKind>, 8> kKinds = {{
      {"random", SearchKind::random},
      {"greedy", SearchKind::greedy},
      {"hill-climb", SearchKind::hill_climb},
      {"climb", SearchKind::climb},
      {"genetic", SearchKind::genetic},
      {"evolution", SearchKind::evolution},
      {"portfolio", SearchKind::portfolio},
      {"bandit", SearchKind::bandit},
  }};
  for (const auto& [name, kind] : kKinds) {
    if (name == text) {
      return kind;
    }
  }
  return std::nullopt;
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
    case SearchKind::climb:
    case SearchKind::portfolio: {
      EliteClimbSettings climb = climb_settings(settings, std::move(actions));
      climb.start = {{"default<Oz>"}, std::move(start)};
      if (settings.kind == SearchKind::climb) {
        return std::make_unique<EliteClimb>(std::move(climb));
      }
      if (settings.portfolio.empty()) {
        return fail(ErrorCode::invalid_argument, "the search 'portfolio' needs a portfolio");
      }
      return portfolio_then(settings.portfolio, settings.width, std::move(climb));
    }
    case SearchKind::genetic: {
      GeneticSettings genetic;
      genetic.population = 2 * settings.width;
      genetic.elite = settings.width / 4 + 1;
      genetic.length = settings.length;
      genetic.seed = settings.seed;
      genetic.successors = settings.successors;
      HONE_TRY(Forest own, parse_pipeline(oz_pipeline(kLlvmMajor)));
      return std::make_unique<GeneticSearch>(genetic, std::vector<Forest>{std::move(own)});
    }
    case SearchKind::evolution: {
      HONE_TRY(Forest own, parse_pipeline(oz_pipeline(kLlvmMajor)));
      return std::make_unique<EvolutionStrategy>(
          EvolutionSettings{settings.width, settings.seed, kLlvmMajor, settings.successors},
          std::move(own));
    }
    case SearchKind::bandit:
      return make_bandit(settings);
  }
  return fail(ErrorCode::internal, "no such search");
}

}  // namespace hone
