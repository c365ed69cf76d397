// Doubly robust scores of every action in every row of a log. Thread safe.
#pragma once

#include <cstddef>

#include "server/learner/ope/decision_log.h"

#include <Eigen/Core>

namespace hone {

// rows x actions; the model of the reward is fitted to the other folds. The log must be checked and
// have at least as many rows as folds.
Eigen::MatrixXd doubly_robust_scores(const DecisionLog& log, std::size_t folds);

}  // namespace hone
