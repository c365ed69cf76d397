// Greedy, as CompilerGym's manual_env has it: every action is tried behind what there is, the best
// one stays, until none is better than nothing.
#pragma once

#include <limits>

#include "common/search/sequence_search.h"

namespace hone {

class GreedySearch final : public SequenceSearch {
 public:
  // `length`: the most that stay.
  GreedySearch(std::vector<std::string> actions, std::size_t length)
      : actions_(std::move(actions)), length_(length) {}

  std::vector<Sequence> ask() override;
  void tell(std::span<const Evaluation> evaluations) override;

 private:
  std::vector<std::string> actions_;
  std::size_t length_;
  Sequence best_;
  // Of `best_`; the empty sequence is asked for first.
  double cost_ = std::numeric_limits<double>::infinity();
  bool begun_ = false;
  bool ended_ = false;
};

}  // namespace hone
