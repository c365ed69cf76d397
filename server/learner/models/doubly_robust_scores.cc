#include "server/learner/models/doubly_robust_scores.h"

#include <cmath>
#include <vector>

#include "server/learner/ope/reward_model.h"

namespace hone {

Eigen::MatrixXd doubly_robust_scores(const DecisionLog& log, std::size_t folds) {
  const auto actions = static_cast<Eigen::Index>(log.actions);
  const std::vector<std::vector<double>> predicted = predict_cross_fitted(log, folds);
  Eigen::MatrixXd scores(static_cast<Eigen::Index>(log.rows.size()), actions);
  for (std::size_t i = 0; i < log.rows.size(); ++i) {
    const LoggedDecision& row = log.rows[i];
    const auto at = static_cast<Eigen::Index>(i);
    scores.row(at) = Eigen::Map<const Eigen::RowVectorXd>(predicted[i].data(), actions);
    scores(at, static_cast<Eigen::Index>(row.action)) +=
        (row.reward - predicted[i][row.action]) * std::exp(-row.log_propensity);
  }
  return scores;
}

}  // namespace hone
