#include "server/learner/proposing/effect_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "common/stats/normal.h"
#include "server/learner/proposing/effect_rows.h"

#include <Eigen/Dense>

namespace hone {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

// Gains of single settings are a few per cent: a standard deviation of one per cent, times these.
constexpr double kScale = 0.01;
constexpr std::array<double, 5> kScaleGrid = {0.25, 0.5, 1, 2, 4};
// How alike the effects of a part are on two targets.
constexpr std::array<double, 3> kSharingGrid = {0, 0.25, 0.5};
// So that equal candidates among those that are drawn from leave the matrix positive definite.
constexpr double kJitter = 1e-10;

// Covariances in units of s^2.
Matrix covariances(const std::vector<EffectRow>& left, const std::vector<EffectRow>& right,
                   double sharing) {
  Matrix matrix(static_cast<Eigen::Index>(left.size()), static_cast<Eigen::Index>(right.size()));
  for (std::size_t i = 0; i < left.size(); ++i) {
    for (std::size_t j = 0; j < right.size(); ++j) {
      matrix(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
          covariance(left[i], right[j], sharing);
    }
  }
  return matrix;
}

// What was measured: a row a trial, its reward, the variance of its error.
struct Measurements {
  std::vector<EffectRow> rows;
  Vector rewards;
  Vector noise;

  // Of what is not known to be equal to another, or to the baseline: most settings change nothing,
  // in any program, and the scale is that of the others.
  std::vector<Eigen::Index> informative() const {
    std::vector<Eigen::Index> list;
    for (Eigen::Index i = 0; i < noise.size(); ++i) {
      if (noise[i] > kEqualDeviation * kEqualDeviation) {
        list.push_back(i);
      }
    }
    return list;
  }
};

Measurements measurements(std::span<const TargetTrials* const> targets, int llvm_major) {
  Measurements all;
  std::vector<TrialReward> seen;
  // The first trial of each measurement.
  std::map<std::tuple<std::string, double, double>, EffectRow> measured;
  for (const TargetTrials* target : targets) {
    for (const Trial& trial : target->trials) {
      if (!trial.reward) {
        continue;
      }
      EffectRow row = effect_row(target->target, trial.assignment, llvm_major, target->hot);
      const auto [first, is_new] = measured.try_emplace(
          {target->target, trial.reward->value, trial.reward->standard_deviation}, row);
      all.rows.push_back(is_new ? std::move(row) : difference(row, first->second));
      seen.push_back(is_new ? *trial.reward : TrialReward{0, kEqualDeviation});
    }
  }
  const auto count = static_cast<Eigen::Index>(seen.size());
  all.rewards.resize(count);
  all.noise.resize(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const TrialReward& reward = seen[static_cast<std::size_t>(i)];
    all.rewards[i] = reward.value;
    all.noise[i] = reward.standard_deviation * reward.standard_deviation;
  }
  return all;
}

// Logarithm of the density of the rewards; the constant is left out.
double log_likelihood(const Eigen::LLT<Matrix>& factor, const Vector& rewards) {
  const Matrix lower = factor.matrixL();
  return -0.5 * rewards.dot(factor.solve(rewards)) - lower.diagonal().array().log().sum();
}

struct Hyperparameters {
  double scale = kScale;
  double sharing = 0;
};

// Those that make the measurements likeliest.
Hyperparameters likeliest(const Measurements& all, bool others) {
  const std::vector<Eigen::Index> measured = all.informative();
  const Vector rewards = all.rewards(measured);
  const Vector noise = all.noise(measured);
  Hyperparameters best;
  double highest = -HUGE_VAL;
  for (const double sharing :
       std::span(kSharingGrid).first(others ? kSharingGrid.size() : std::size_t{1})) {
    const Matrix shape = covariances(all.rows, all.rows, sharing)(measured, measured);
    for (const double factor : kScaleGrid) {
      Matrix covariance = kScale * kScale * factor * factor * shape;
      covariance.diagonal() += noise;
      // A weak wish for the usual scale decides where the trials do not.
      const double likelihood = log_likelihood(Eigen::LLT<Matrix>(covariance), rewards) -
                                0.5 * std::pow(std::log2(factor), 2);
      if (likelihood > highest) {
        highest = likelihood;
        best = {kScale * factor, sharing};
      }
    }
  }
  return best;
}

}  // namespace

struct EffectModel::Fitted {
  int llvm_major = 19;
  std::vector<FileShare> hot;
  Hyperparameters known;
  std::vector<EffectRow> rows;
  Eigen::LLT<Matrix> factor;  // of the trials' covariance with their noise
  Vector weights;             // its inverse times the rewards

  double variance() const { return known.scale * known.scale; }
  std::vector<EffectRow> rows_of(std::span<const Assignment> candidates) const {
    std::vector<EffectRow> made;
    made.reserve(candidates.size());
    for (const Assignment& candidate : candidates) {
      made.push_back(effect_row("", candidate, llvm_major, hot));
    }
    return made;
  }
};

EffectModel::EffectModel(std::unique_ptr<Fitted> fitted) : fitted_(std::move(fitted)) {}
EffectModel::~EffectModel() = default;
EffectModel::EffectModel(EffectModel&& other) noexcept = default;
EffectModel& EffectModel::operator=(EffectModel&& other) noexcept = default;

double EffectModel::scale() const {
  return fitted_->known.scale;
}

double EffectModel::sharing() const {
  return fitted_->known.sharing;
}

EffectModel EffectModel::fit(const TargetTrials& own, int llvm_major,
                             std::span<const TargetTrials> others) {
  auto fitted = std::make_unique<Fitted>();
  fitted->llvm_major = llvm_major;
  fitted->hot = own.hot;
  std::vector<const TargetTrials*> targets = {&own};
  for (const TargetTrials& other : others) {
    targets.push_back(&other);
  }
  Measurements all = measurements(targets, llvm_major);
  if (all.rows.empty()) {
    return EffectModel(std::move(fitted));
  }
  fitted->known = likeliest(all, !others.empty());
  fitted->rows = std::move(all.rows);
  Matrix covariance =
      fitted->variance() * covariances(fitted->rows, fitted->rows, fitted->known.sharing);
  covariance.diagonal() += all.noise;
  fitted->factor.compute(covariance);
  fitted->weights = fitted->factor.solve(all.rewards);
  return EffectModel(std::move(fitted));
}

std::vector<EffectEstimate> EffectModel::estimate(std::span<const Assignment> candidates) const {
  const double variance = fitted_->variance();
  const double sharing = fitted_->known.sharing;
  const std::vector<EffectRow> rows = fitted_->rows_of(candidates);
  std::vector<EffectEstimate> estimates(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double left = variance * covariance(rows[i], rows[i], sharing);
    if (!fitted_->rows.empty()) {
      const Vector shared =
          variance * covariances({rows[i]}, fitted_->rows, sharing).row(0).transpose();
      estimates[i].mean = shared.dot(fitted_->weights);
      left -= shared.dot(fitted_->factor.solve(shared));
    }
    estimates[i].deviation = std::sqrt(std::max(left, 0.0));
  }
  return estimates;
}

std::vector<std::size_t> EffectModel::count_best(std::span<const Assignment> candidates,
                                                 std::span<const Assignment> known, double margin,
                                                 std::size_t draws, Random& random) const {
  std::vector<std::size_t> wins(candidates.size(), 0);
  if (candidates.empty()) {
    return wins;
  }
  const double variance = fitted_->variance();
  const double sharing = fitted_->known.sharing;
  std::vector<EffectRow> rows = fitted_->rows_of(candidates);
  std::ranges::move(fitted_->rows_of(known), std::back_inserter(rows));
  Matrix covariance = variance * covariances(rows, rows, sharing);
  Vector mean = Vector::Zero(covariance.rows());
  if (!fitted_->rows.empty()) {
    const Matrix shared = variance * covariances(rows, fitted_->rows, sharing);
    mean = shared * fitted_->weights;
    covariance -= shared * fitted_->factor.solve(shared.transpose());
  }
  covariance.diagonal().array() += kJitter;
  const Matrix lower = Eigen::LLT<Matrix>(covariance).matrixL();
  Vector normal(mean.size());
  for (std::size_t draw = 0; draw < draws; ++draw) {
    for (Eigen::Index i = 0; i < normal.size(); ++i) {
      normal[i] = normal_quantile(random.uniform() + 0x1.0p-54);
    }
    const Vector worth = mean + lower * normal;
    const auto count = static_cast<Eigen::Index>(candidates.size());
    Eigen::Index best = 0;
    const double highest = worth.head(count).maxCoeff(&best);
    if (known.empty() || highest > worth.tail(worth.size() - count).maxCoeff() + margin) {
      ++wins[static_cast<std::size_t>(best)];
    }
  }
  return wins;
}

}  // namespace hone
