#include "server/learner/proposing/effect_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "common/stats/normal.h"
#include "server/learner/proposing/candidate_parts.h"

#include <Eigen/Dense>

namespace hone {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

// Gains of single settings are a few per cent: a standard deviation of one per cent, times these.
constexpr double kScale = 0.01;
constexpr std::array<double, 5> kScaleGrid = {0.25, 0.5, 1, 2, 4};
// The rest's variance beside an effect's.
constexpr double kRest = 0.1;
// So that equal candidates among those that are drawn from leave the matrix positive definite.
constexpr double kJitter = 1e-10;

using Amounts = std::map<std::string, double>;

// An assignment as a row of what it has of every part, on the whole and file by file, and of the
// rest that candidates have for themselves; or the difference of two.
struct Row {
  Amounts values;
  Amounts rest;
};

// What share of the time the files have that are not among the hot ones, all together: little, but
// a candidate that changes them is another one.
constexpr double kColdShare = 0.02;

Row row_of(const Assignment& assignment, int llvm_major, std::span<const FileShare> hot) {
  Row row;
  row.rest[key_of(assignment)] = 1;
  const auto add = [&](const std::string& file, const Decision& decision, double share) {
    for (const auto& [part, amount] : parts_of(decision, llvm_major)) {
      row.values[part] += share * amount;
      row.values[file + "\n" + part] += share * amount;
    }
  };
  if (hot.empty()) {
    add("*", assignment.general, 1);
    for (const auto& [file, decision] : assignment.files) {
      add(file, decision, 1);
    }
    return row;
  }
  double all = 0;
  for (const FileShare& file : hot) {
    all += file.share;
  }
  for (const FileShare& file : hot) {
    add(file.source, assignment.of(file.source), (1 - kColdShare) * file.share / all);
  }
  add("*", assignment.general, kColdShare);
  return row;
}

Row difference(Row row, const Row& other) {
  for (const auto& [part, amount] : other.values) {
    row.values[part] -= amount;
  }
  for (const auto& [key, amount] : other.rest) {
    row.rest[key] -= amount;
  }
  return row;
}

double product(const Amounts& left, const Amounts& right) {
  double sum = 0;
  auto a = left.begin();
  auto b = right.begin();
  while (a != left.end() && b != right.end()) {
    if (a->first < b->first) {
      ++a;
    } else if (b->first < a->first) {
      ++b;
    } else {
      sum += a->second * b->second;
      ++a;
      ++b;
    }
  }
  return sum;
}

double product(const Row& left, const Row& right) {
  return product(left.values, right.values) + kRest * product(left.rest, right.rest);
}

// Covariances in units of s^2.
Matrix products(const std::vector<Row>& left, const std::vector<Row>& right) {
  Matrix matrix(static_cast<Eigen::Index>(left.size()), static_cast<Eigen::Index>(right.size()));
  for (std::size_t i = 0; i < left.size(); ++i) {
    for (std::size_t j = 0; j < right.size(); ++j) {
      matrix(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
          product(left[i], right[j]);
    }
  }
  return matrix;
}

// Logarithm of the density of the rewards; the constant is left out.
double log_likelihood(const Eigen::LLT<Matrix>& factor, const Vector& rewards) {
  const Matrix lower = factor.matrixL();
  return -0.5 * rewards.dot(factor.solve(rewards)) - lower.diagonal().array().log().sum();
}

// The scale that makes the measurements likeliest. What is known to change nothing is left out:
// most settings do, in any program, and the scale is that of the others.
double likeliest_scale(const Matrix& shape, const Vector& rewards, const Vector& noise) {
  std::vector<Eigen::Index> measured;
  for (Eigen::Index i = 0; i < noise.size(); ++i) {
    if (noise[i] > kEqualDeviation * kEqualDeviation) {
      measured.push_back(i);
    }
  }
  double best = -HUGE_VAL;
  double scale = kScale;
  for (const double factor : kScaleGrid) {
    Matrix covariance = kScale * kScale * factor * factor * shape(measured, measured);
    covariance.diagonal() += noise(measured);
    // A weak wish for the usual scale decides where the trials do not.
    const double likelihood = log_likelihood(Eigen::LLT<Matrix>(covariance), rewards(measured)) -
                              0.5 * std::pow(std::log2(factor), 2);
    if (likelihood > best) {
      best = likelihood;
      scale = kScale * factor;
    }
  }
  return scale;
}

}  // namespace

struct EffectModel::Fitted {
  int llvm_major = 19;
  std::vector<FileShare> hot;
  double scale = kScale;
  std::vector<Row> rows;
  Eigen::LLT<Matrix> factor;  // of the trials' covariance with their noise
  Vector weights;             // its inverse times the rewards

  std::vector<Row> rows_of(std::span<const Assignment> candidates) const {
    std::vector<Row> made;
    made.reserve(candidates.size());
    for (const Assignment& candidate : candidates) {
      made.push_back(row_of(candidate, llvm_major, hot));
    }
    return made;
  }
};

EffectModel::EffectModel(std::unique_ptr<Fitted> fitted) : fitted_(std::move(fitted)) {}
EffectModel::~EffectModel() = default;
EffectModel::EffectModel(EffectModel&& other) noexcept = default;
EffectModel& EffectModel::operator=(EffectModel&& other) noexcept = default;

double EffectModel::scale() const {
  return fitted_->scale;
}

EffectModel EffectModel::fit(std::span<const Trial> trials, int llvm_major,
                             std::span<const FileShare> hot) {
  auto fitted = std::make_unique<Fitted>();
  fitted->llvm_major = llvm_major;
  fitted->hot.assign(hot.begin(), hot.end());
  std::vector<TrialReward> seen;
  std::map<std::pair<double, double>, Row> measured;  // the first trial of each measurement
  for (const Trial& trial : trials) {
    if (!trial.reward) {
      continue;
    }
    Row row = row_of(trial.assignment, llvm_major, hot);
    const auto [first, is_new] =
        measured.try_emplace({trial.reward->value, trial.reward->standard_deviation}, row);
    fitted->rows.push_back(is_new ? std::move(row) : difference(std::move(row), first->second));
    seen.push_back(is_new ? *trial.reward : TrialReward{0, kEqualDeviation});
  }
  const auto count = static_cast<Eigen::Index>(seen.size());
  Vector rewards(count);
  Vector noise(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const TrialReward& reward = seen[static_cast<std::size_t>(i)];
    rewards[i] = reward.value;
    noise[i] = reward.standard_deviation * reward.standard_deviation;
  }
  if (count == 0) {
    return EffectModel(std::move(fitted));
  }
  const Matrix shape = products(fitted->rows, fitted->rows);
  fitted->scale = likeliest_scale(shape, rewards, noise);
  Matrix covariance = fitted->scale * fitted->scale * shape;
  covariance.diagonal() += noise;
  fitted->factor.compute(covariance);
  fitted->weights = fitted->factor.solve(rewards);
  return EffectModel(std::move(fitted));
}

std::vector<EffectEstimate> EffectModel::estimate(std::span<const Assignment> candidates) const {
  const double variance = fitted_->scale * fitted_->scale;
  const std::vector<Row> rows = fitted_->rows_of(candidates);
  std::vector<EffectEstimate> estimates(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double left = variance * product(rows[i], rows[i]);
    if (!fitted_->rows.empty()) {
      const Vector shared = variance * products({rows[i]}, fitted_->rows).row(0).transpose();
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
  const double variance = fitted_->scale * fitted_->scale;
  std::vector<Row> rows = fitted_->rows_of(candidates);
  std::ranges::move(fitted_->rows_of(known), std::back_inserter(rows));
  Matrix covariance = variance * products(rows, rows);
  Vector mean = Vector::Zero(covariance.rows());
  if (!fitted_->rows.empty()) {
    const Matrix shared = variance * products(rows, fitted_->rows);
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
