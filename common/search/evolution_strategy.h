// (1+lambda) evolution over whole pipelines: lambda children of the one parent, each changed by
// some edits; the best of them takes its place if it is no worse.
//
// How many edits a child has is 1 + Poisson(rate), and the rate adapts itself: half of the children
// are made with half of it, the others with twice as much, and that of the best child is taken over
// with chance one half, else one of the two (Doerr, Giessen, Witt and Yang, "The (1+lambda)
// evolutionary algorithm with self-adjusting mutation rate", GECCO 2017).
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "common/base/random.h"
#include "common/pipelines/forest.h"
#include "common/pipelines/successor_weights.h"
#include "common/search/sequence_search.h"

namespace hone {

struct EvolutionSettings {
  std::size_t width = 8;  // lambda, at least 2
  std::uint64_t seed = 1;
  int llvm_major = 19;
  std::shared_ptr<const SuccessorWeights> successors;  // null: passes are drawn alike
};

class EvolutionStrategy final : public SequenceSearch {
 public:
  // `start` is asked for first, for example the flattened Oz; check_pipeline must accept it.
  EvolutionStrategy(const EvolutionSettings& settings, Forest start)
      : settings_(settings), random_(settings.seed), parent_(std::move(start)) {}

  // Pipelines as sequences of one.
  std::vector<Sequence> ask() override;
  void tell(std::span<const Evaluation> evaluations) override;
  void hear(const RankedSequence& found) override;

  double rate() const { return rate_; }  // further edits of a child, on average

 private:
  Forest child(double rate);

  EvolutionSettings settings_;
  Random random_;
  Forest parent_;
  double cost_ = std::numeric_limits<double>::infinity();
  double rate_ = 1;
  std::vector<Forest> asked_;
  bool begun_ = false;
};

}  // namespace hone
