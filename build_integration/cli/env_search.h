// What `hone env search` is asked for, and the searches it knows. Thread safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/pipelines/successor_weights.h"
#include "common/search/sequence_search.h"

namespace hone {

enum class SearchKind : std::uint8_t {
  random,
  greedy,
  hill_climb,
  climb,
  genetic,
  evolution,
  portfolio,
  bandit
};
inline constexpr std::string_view kSearchKindChoices =
    "random, greedy, hill-climb, climb, genetic, evolution, portfolio or bandit";
std::optional<SearchKind> parse_search_kind(std::string_view text);

struct SearchSettings {
  SearchKind kind = SearchKind::hill_climb;
  std::size_t length = 45;  // the most pipelines
  std::size_t width = 16;   // evaluations a turn; a genetic search's population is twice that
  std::uint64_t seed = 1;
  bool passes_only = false;  // without whole pipelines such as default<Oz>, as CompilerGym's space
  std::vector<Sequence> portfolio;  // what the kinds portfolio and bandit try first
  // By which climbing, genetic and evolution draw passes; null: all alike.
  std::shared_ptr<const SuccessorWeights> successors;
};

// The search over this LLVM's action space. Hill climbing, the genetic search and the evolution
// strategy start from what -Oz runs, pass by pass. The kind bandit gives turns to the portfolio
// (or, without one, climbing), the genetic search, the evolution strategy, hill climbing and random
// sequences.
Result<std::unique_ptr<SequenceSearch>> make_search(const SearchSettings& settings);

}  // namespace hone
