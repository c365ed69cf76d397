#include "common/search/greedy_search.h"

namespace hone {

std::vector<Sequence> GreedySearch::ask() {
  if (!begun_) {
    return {Sequence()};
  }
  std::vector<Sequence> sequences;
  if (ended_ || best_.size() >= length_) {
    return sequences;
  }
  for (const std::string& action : actions_) {
    sequences.push_back(best_);
    sequences.back().push_back(action);
  }
  return sequences;
}

void GreedySearch::tell(std::span<const Evaluation> evaluations) {
  if (!begun_) {
    begun_ = true;
    ended_ = !evaluations.front().cost;
    cost_ = evaluations.front().cost.value_or(cost_);
    return;
  }
  const std::string* chosen = nullptr;
  for (std::size_t i = 0; i < evaluations.size(); ++i) {
    if (evaluations[i].cost && *evaluations[i].cost < cost_) {
      cost_ = *evaluations[i].cost;
      chosen = &actions_[i];
    }
  }
  if (chosen == nullptr) {
    ended_ = true;
  } else {
    best_.push_back(*chosen);
  }
}

}  // namespace hone
