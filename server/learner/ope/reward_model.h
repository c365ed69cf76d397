// Predicts the reward of an action in a state, by ridge regression: one regression over all
// actions, and one for each action over what the first leaves. An action that was seldom taken is
// predicted by the first alone. Used by the direct and the doubly robust estimate. Thread safe once
// fitted.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "server/learner/ope/decision_log.h"

namespace hone {

class RewardModel {
 public:
  // Of the rows that are named. Without rows it predicts 0.
  static RewardModel fit(const DecisionLog& log, std::span<const std::size_t> rows);
  ~RewardModel();
  RewardModel(RewardModel&& other) noexcept;
  RewardModel& operator=(RewardModel&& other) noexcept;

  // For every action.
  std::vector<double> predict(std::span<const double> features) const;

 private:
  struct Weights;  // keeps Eigen out of the header
  explicit RewardModel(std::unique_ptr<Weights> weights);
  std::unique_ptr<Weights> weights_;
};

// What a model of the other rows predicts for every action of every row (cross-fitting, in `folds`
// of every folds-th group): no row is predicted by what it, or its group, was fitted to.
std::vector<std::vector<double>> predict_cross_fitted(const DecisionLog& log, std::size_t folds);

}  // namespace hone
