// A portfolio first, in its order, then another search that starts from the best of it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "common/search/sequence_search.h"

namespace hone {

class PortfolioSearch final : public SequenceSearch {
 public:
  // Makes the search that follows, from the sequences that did not fail, best first (perhaps none).
  // Null ends the search after the portfolio.
  using Follow = std::function<std::unique_ptr<SequenceSearch>(std::vector<RankedSequence> best)>;

  // `width` sequences of the portfolio a turn, at least 1.
  PortfolioSearch(std::vector<Sequence> portfolio, std::size_t width, Follow follow)
      : portfolio_(std::move(portfolio)), width_(width), follow_(std::move(follow)) {}

  std::vector<Sequence> ask() override;
  void tell(std::span<const Evaluation> evaluations) override;
  // Behind the portfolio; before, its own members come first.
  void hear(const RankedSequence& found) override;

 private:
  std::vector<Sequence> portfolio_;
  std::size_t width_;
  Follow follow_;
  std::vector<Evaluation> told_;  // of the portfolio, in its order
  std::unique_ptr<SequenceSearch> following_;
};

}  // namespace hone
