// Every pass behind every other one, behind a common beginning: what a synergy graph is mined from
// where searches did not happen to try it.
//
// First each pass by itself, then one first pass after the other with all that may follow: those
// first that changed the cost, the rest in random order. It learns nothing; it ends when all is
// tried.
#pragma once

#include <cstdint>
#include <vector>

#include "common/search/sequence_search.h"

namespace hone {

class PairProbes final : public SequenceSearch {
 public:
  // `passes`: at least one.
  PairProbes(Sequence beginning, std::vector<std::string> passes, std::uint64_t seed)
      : beginning_(std::move(beginning)), passes_(std::move(passes)), seed_(seed) {}

  std::vector<Sequence> ask() override;
  void tell(std::span<const Evaluation> evaluations) override;

 private:
  Sequence beginning_;
  std::vector<std::string> passes_;
  std::uint64_t seed_;
  bool begun_ = false;
  std::vector<std::string> firsts_;  // still to be followed, the next one last
};

}  // namespace hone
