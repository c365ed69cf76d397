#include "server/learner/ope/reward_model.h"

#include <Eigen/Dense>

namespace hone {
namespace {

// The penalty on weights of standardised features, counted in rows. The constant is not penalised
// over all actions, and as the others are for one action: so it shrinks to the mean of all.
constexpr double kRidge = 1.0;
constexpr double kActionRidge = 10.0;

// min |X w - y|^2 + ridge |w|^2, where the first column is penalised by `constant` instead.
Eigen::VectorXd solve(const Eigen::MatrixXd& x, const Eigen::VectorXd& y, double ridge,
                      double constant) {
  Eigen::MatrixXd gram = x.transpose() * x;
  gram.diagonal().array() += ridge;
  gram(0, 0) += constant - ridge + 1e-9;
  return gram.ldlt().solve(x.transpose() * y);
}

}  // namespace

struct RewardModel::Weights {
  Eigen::VectorXd mean;
  Eigen::VectorXd scale;   // 1 / standard deviation; 0 for a feature that never changes
  Eigen::VectorXd shared;  // the constant first
  Eigen::MatrixXd own;     // a column for each action

  Eigen::VectorXd row(std::span<const double> features) const {
    const Eigen::Map<const Eigen::VectorXd> raw(features.data(),
                                                static_cast<Eigen::Index>(features.size()));
    Eigen::VectorXd out(raw.size() + 1);
    out(0) = 1;
    out.tail(raw.size()) = (raw - mean).cwiseProduct(scale);
    return out;
  }
};

RewardModel::RewardModel(std::unique_ptr<Weights> weights) : weights_(std::move(weights)) {}
RewardModel::~RewardModel() = default;
RewardModel::RewardModel(RewardModel&& other) noexcept = default;
RewardModel& RewardModel::operator=(RewardModel&& other) noexcept = default;

RewardModel RewardModel::fit(const DecisionLog& log, std::span<const std::size_t> rows) {
  auto weights = std::make_unique<Weights>();
  const std::size_t features = log.rows.empty() ? 0 : log.rows[0].features.size();
  const auto width = static_cast<Eigen::Index>(features);
  const auto count = static_cast<Eigen::Index>(rows.size());
  const auto actions = static_cast<Eigen::Index>(log.actions);
  weights->mean = Eigen::VectorXd::Zero(width);
  weights->scale = Eigen::VectorXd::Zero(width);
  weights->shared = Eigen::VectorXd::Zero(width + 1);
  weights->own = Eigen::MatrixXd::Zero(width + 1, actions);
  if (rows.empty()) {
    return RewardModel(std::move(weights));
  }
  Eigen::MatrixXd raw(count, width);
  Eigen::VectorXd y(count);
  std::vector<std::vector<Eigen::Index>> of_action(log.actions);
  for (Eigen::Index i = 0; i < count; ++i) {
    const LoggedDecision& row = log.rows[rows[static_cast<std::size_t>(i)]];
    raw.row(i) = Eigen::Map<const Eigen::RowVectorXd>(row.features.data(), width);
    y(i) = row.reward;
    of_action[row.action].push_back(i);
  }
  weights->mean = raw.colwise().mean();
  const Eigen::MatrixXd centred = raw.rowwise() - weights->mean.transpose();
  const Eigen::VectorXd deviation = (centred.colwise().squaredNorm() / count).cwiseSqrt();
  weights->scale = deviation.unaryExpr([](double d) { return d > 1e-12 ? 1 / d : 0.0; });
  Eigen::MatrixXd x(count, width + 1);
  x.col(0).setOnes();
  x.rightCols(width) = centred * weights->scale.asDiagonal();
  weights->shared = solve(x, y, kRidge, 0);
  const Eigen::VectorXd left = y - x * weights->shared;
  for (Eigen::Index action = 0; action < actions; ++action) {
    const std::vector<Eigen::Index>& taken = of_action[static_cast<std::size_t>(action)];
    if (!taken.empty()) {
      weights->own.col(action) =
          solve(x(taken, Eigen::all), left(taken), kActionRidge, kActionRidge);
    }
  }
  return RewardModel(std::move(weights));
}

std::vector<double> RewardModel::predict(std::span<const double> features) const {
  const Eigen::VectorXd row = weights_->row(features);
  const Eigen::VectorXd predicted =
      (weights_->own.transpose() * row).array() + weights_->shared.dot(row);
  return {predicted.begin(), predicted.end()};
}

std::vector<std::vector<double>> predict_cross_fitted(const DecisionLog& log, std::size_t folds) {
  std::vector<std::vector<double>> predicted(log.rows.size());
  for (std::size_t fold = 0; fold < folds; ++fold) {
    std::vector<std::size_t> held_out;
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < log.rows.size(); ++i) {
      (log.group_of(i) % folds == fold ? held_out : others).push_back(i);
    }
    const RewardModel model = RewardModel::fit(log, others);
    for (const std::size_t i : held_out) {
      predicted[i] = model.predict(log.rows[i].features);
    }
  }
  return predicted;
}

}  // namespace hone
