#include "common/search/portfolio_search.h"

#include <algorithm>
#include <map>

namespace hone {

std::vector<Sequence> PortfolioSearch::ask() {
  if (told_.size() < portfolio_.size()) {
    const auto first = portfolio_.begin() + static_cast<std::ptrdiff_t>(told_.size());
    const auto count = std::min(width_, portfolio_.size() - told_.size());
    return {first, first + static_cast<std::ptrdiff_t>(count)};
  }
  if (!following_ && follow_) {
    std::multimap<double, RankedSequence> by_cost;
    for (std::size_t i = 0; i < told_.size(); ++i) {
      if (told_[i].cost) {
        by_cost.emplace(*told_[i].cost, RankedSequence{portfolio_[i], *told_[i].cost});
      }
    }
    std::vector<RankedSequence> best;
    for (auto& [cost, ranked] : by_cost) {
      best.push_back(std::move(ranked));
    }
    following_ = follow_(std::move(best));
    follow_ = nullptr;
  }
  return following_ ? following_->ask() : std::vector<Sequence>{};
}

void PortfolioSearch::tell(std::span<const Evaluation> evaluations) {
  if (following_) {
    following_->tell(evaluations);
    return;
  }
  told_.insert(told_.end(), evaluations.begin(), evaluations.end());
}

void PortfolioSearch::hear(const RankedSequence& found) {
  if (following_) {
    following_->hear(found);
  }
}

}  // namespace hone
