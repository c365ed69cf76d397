#include "server/learner/models/doubly_robust_scores.h"

#include <cmath>
#include <vector>

#include "server/learner/ope/reward_model.h"

namespace hone {

Eigen::MatrixXd doubly_robust_scores(const DecisionLog& log, std::size_t folds) {
  const auto actions = static_cast<Eigen::Index>(log.actions);
  Eigen::MatrixXd scores(static_cast<Eigen::Index>(log.rows.size()), actions);
  for (std::size_t fold = 0; fold < folds; ++fold) {
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < log.rows.size(); ++i) {
      if (i % folds != fold) {
        others.push_back(i);
      }
    }
    const RewardModel model = RewardModel::fit(log, others);
    for (std::size_t i = fold; i < log.rows.size(); i += folds) {
      const LoggedDecision& row = log.rows[i];
      const std::vector<double> predicted = model.predict(row.features);
      const auto at = static_cast<Eigen::Index>(i);
      scores.row(at) = Eigen::Map<const Eigen::RowVectorXd>(predicted.data(), actions);
      scores(at, static_cast<Eigen::Index>(row.action)) +=
          (row.reward - predicted[row.action]) * std::exp(-row.log_propensity);
    }
  }
  return scores;
}

}  // namespace hone
