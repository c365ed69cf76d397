// Hill climbing: some neighbours of the best sequence so far, each one edit away; the best of them
// takes its place if it is no worse, so that plateaus are walked along.
#pragma once

#include <cstdint>
#include <limits>

#include "common/base/random.h"
#include "common/search/sequence_search.h"

namespace hone {

class HillClimb final : public SequenceSearch {
 public:
  // From `start`, which may be empty; `width` neighbours at a time, sequences of at most `length`.
  HillClimb(std::vector<std::string> actions, Sequence start, std::size_t length, std::size_t width,
            std::uint64_t seed)
      : actions_(std::move(actions)),
        best_(std::move(start)),
        length_(length),
        width_(width),
        random_(seed) {}

  std::vector<Sequence> ask() override;
  void tell(std::span<const Evaluation> evaluations) override;
  void hear(const RankedSequence& found) override;

 private:
  // One action inserted, removed, replaced, or swapped with its neighbour.
  Sequence neighbour();

  std::vector<std::string> actions_;
  Sequence best_;
  double cost_ = std::numeric_limits<double>::infinity();
  std::size_t length_;
  std::size_t width_;
  Random random_;
  std::vector<Sequence> asked_;
  bool begun_ = false;
};

}  // namespace hone
