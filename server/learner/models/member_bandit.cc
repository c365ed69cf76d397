#include "server/learner/models/member_bandit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "server/learner/knowledge/greedy_cover.h"
#include "server/learner/models/doubly_robust_scores.h"
#include "server/learner/models/member_bandit_weights.h"

#include <Eigen/Dense>

namespace hone {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

// The first one leaves the means.
constexpr std::array kPenalties = {
    std::numeric_limits<double>::infinity(), 10'000.0, 3'000.0, 1'000.0, 300.0, 100.0, 30.0, 10.0};
constexpr double kConstant = 1e-9;  // a deviation below it is rounding

// Least squares of y on standardised x with a penalty; y is centred by `means`.
Matrix solve(const Matrix& x, const Matrix& y, double penalty) {
  if (std::isinf(penalty)) {
    return Matrix::Zero(x.cols(), y.cols());
  }
  Matrix gram = x.transpose() * x;
  gram.diagonal().array() += penalty;
  return gram.ldlt().solve(x.transpose() * y);
}

// The mean squared error of each fold's programs by a fit to the others.
double cross_validated(const Matrix& x, const Matrix& y, double penalty, std::size_t folds) {
  double error = 0;
  for (std::size_t fold = 0; fold < folds; ++fold) {
    std::vector<Eigen::Index> in;
    std::vector<Eigen::Index> out;
    for (Eigen::Index i = 0; i < x.rows(); ++i) {
      (static_cast<std::size_t>(i) % folds == fold ? out : in).push_back(i);
    }
    if (in.empty() || out.empty()) {
      continue;
    }
    const Matrix kept = y(in, Eigen::all);
    const Eigen::RowVectorXd mean = kept.colwise().mean();
    const Matrix weights = solve(x(in, Eigen::all), kept.rowwise() - mean, penalty);
    const Matrix predicted = (x(out, Eigen::all) * weights).rowwise() + mean;
    error += (predicted - y(out, Eigen::all)).squaredNorm();
  }
  return error / static_cast<double>(y.size());
}

}  // namespace

MemberBandit::MemberBandit(std::unique_ptr<Weights> weights) : weights_(std::move(weights)) {}
MemberBandit::~MemberBandit() = default;
MemberBandit::MemberBandit(MemberBandit&& other) noexcept = default;
MemberBandit& MemberBandit::operator=(MemberBandit&& other) noexcept = default;

Result<MemberBandit> MemberBandit::fit(const DecisionLog& log,
                                       const MemberBanditSettings& settings) {
  HONE_CHECK(check(log));
  if (settings.folds < 2 || log.rows.size() < 2 * settings.folds) {
    return fail(ErrorCode::invalid_argument,
                "a log of " + std::to_string(log.rows.size()) + " tries: must have at least " +
                    std::to_string(2 * std::max<std::size_t>(settings.folds, 2)) +
                    " (two a fold, two folds)");
  }
  // Of each program, the mean over its rows.
  const Matrix row_scores = doubly_robust_scores(log, settings.folds);
  std::map<std::vector<double>, std::vector<std::size_t>> programs;
  for (std::size_t i = 0; i < log.rows.size(); ++i) {
    programs[log.rows[i].features].push_back(i);
  }
  const auto count = static_cast<Eigen::Index>(programs.size());
  const auto width = static_cast<Eigen::Index>(log.rows[0].features.size());
  const auto members = static_cast<Eigen::Index>(log.actions);
  Matrix raw(count, width);
  Matrix scores(count, members);
  Eigen::Index at = 0;
  for (const auto& [features, rows] : programs) {
    raw.row(at) = Eigen::Map<const Eigen::RowVectorXd>(features.data(), width);
    Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(members);
    for (const std::size_t row : rows) {
      sum += row_scores.row(static_cast<Eigen::Index>(row));
    }
    scores.row(at++) = sum / static_cast<double>(rows.size());
  }
  auto weights = std::make_unique<Weights>();
  weights->caution = settings.caution;
  weights->mean = raw.colwise().mean();
  const Matrix centred = raw.rowwise() - weights->mean.transpose();
  const Vector deviation =
      (centred.colwise().squaredNorm() / static_cast<double>(count)).cwiseSqrt();
  weights->scale = deviation.unaryExpr([](double d) { return d > kConstant ? 1 / d : 0.0; });
  const Matrix x = (centred * weights->scale.asDiagonal()).cwiseMax(-5).cwiseMin(5);
  double best = std::numeric_limits<double>::infinity();
  for (const double penalty : kPenalties) {
    const double error = cross_validated(x, scores, penalty, settings.folds);
    if (error < best) {
      best = error;
      weights->penalty = penalty;
    }
  }
  weights->value = scores.colwise().mean();
  const Matrix around = scores.rowwise() - weights->value.transpose();
  weights->slope = solve(x, around, weights->penalty);
  weights->error =
      (around.colwise().squaredNorm() /
       (static_cast<double>(count) * std::max<double>(1, static_cast<double>(count) - 1)))
          .cwiseSqrt();
  weights->left = Matrix::Zero(count, members);
  at = 0;
  for (const auto& [features, rows] : programs) {
    const Vector guessed = weights->guess(features);
    std::vector<int> tried(log.actions, 0);
    for (const std::size_t row : rows) {
      const auto member = static_cast<Eigen::Index>(log.rows[row].action);
      weights->left(at, member) += log.rows[row].reward - guessed(member);
      ++tried[log.rows[row].action];
    }
    for (Eigen::Index member = 0; member < members; ++member) {
      weights->left(at, member) /= std::max(tried[static_cast<std::size_t>(member)], 1);
    }
    ++at;
  }
  return MemberBandit(std::move(weights));
}

std::size_t MemberBandit::members() const {
  return static_cast<std::size_t>(weights_->value.size());
}
std::size_t MemberBandit::width() const {
  return static_cast<std::size_t>(weights_->mean.size());
}
double MemberBandit::penalty() const {
  return weights_->penalty;
}

std::vector<MemberGuess> MemberBandit::guess(std::span<const double> features) const {
  const Vector values = weights_->guess(features);
  std::vector<MemberGuess> guesses;
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    guesses.push_back({values(i), weights_->error(i)});
  }
  return guesses;
}

std::vector<std::size_t> MemberBandit::order(std::span<const double> features) const {
  const Vector low = weights_->guess(features) - weights_->caution * weights_->error;
  GainMatrix gains;
  for (Eigen::Index program = 0; program < weights_->left.rows(); ++program) {
    auto& row = gains.emplace_back();
    for (Eigen::Index member = 0; member < low.size(); ++member) {
      row.emplace_back(low(member) + weights_->left(program, member));
    }
  }
  std::vector<std::size_t> order;
  std::vector<bool> taken(members(), false);
  const std::vector<double> weights(gains.size(), 1.0);
  for (const CoverStep& step : greedy_cover(gains, weights, {.most = members()})) {
    order.push_back(step.sequence);
    taken[step.sequence] = true;
  }
  // What adds nothing comes last, by its own worth.
  std::vector<std::size_t> rest;
  for (std::size_t i = 0; i < members(); ++i) {
    if (!taken[i]) {
      rest.push_back(i);
    }
  }
  std::ranges::sort(rest, [&](std::size_t a, std::size_t b) {
    const double first = low(static_cast<Eigen::Index>(a));
    const double second = low(static_cast<Eigen::Index>(b));
    return first != second ? first > second : a < b;
  });
  order.insert(order.end(), rest.begin(), rest.end());
  return order;
}

}  // namespace hone
