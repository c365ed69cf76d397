#include "server/learner/proposing/production_correction.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/Dense>

namespace hone {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr double kOffset = 0.01;
constexpr double kSlope = 0.25;
constexpr double kUsualScatter = 0.01;
constexpr std::array<double, 8> kScatters = {0.0025, 0.005, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32};
// A pair of links differs by as much: no interval is better (trial.cc).
constexpr double kLeastDeviation = 0.001;

double square(double value) {
  return value * value;
}

// What every two candidates have in common, before a canary was seen.
class Prior {
 public:
  Prior(std::span<const TrialReward> staging, const Likeness& likeness, double scatter)
      : staging_(staging), likeness_(likeness), scatter_(scatter) {}

  double covariance(std::size_t i, std::size_t j) const {
    double sum = square(kOffset) + square(kSlope) * staging_[i].value * staging_[j].value +
                 square(scatter_) * (i == j ? 1 : likeness_(i, j));
    if (i == j) {
      sum += square(staging_[i].standard_deviation);
    }
    return sum;
  }
  double covariance(std::size_t i, const CanaryObservation& seen) const {
    return covariance(i, seen.tried) - (seen.known_good ? covariance(i, *seen.known_good) : 0);
  }
  double covariance(const CanaryObservation& left, const CanaryObservation& right) const {
    return covariance(left.tried, right) -
           (left.known_good ? covariance(*left.known_good, right) : 0);
  }
  double mean(const CanaryObservation& seen) const {
    return staging_[seen.tried].value - (seen.known_good ? staging_[*seen.known_good].value : 0);
  }

 private:
  std::span<const TrialReward> staging_;
  const Likeness& likeness_;
  double scatter_;
};

struct Canaries {
  Eigen::LLT<Matrix> factor;  // of their covariance
  Vector weights;             // its inverse times what they surprised by
  double log_likelihood = 0;
};

Canaries weigh(const Prior& prior, std::span<const CanaryObservation> seen) {
  const auto count = static_cast<Eigen::Index>(seen.size());
  Matrix covariance(count, count);
  Vector surprise(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const CanaryObservation& one = seen[static_cast<std::size_t>(i)];
    surprise[i] = one.reward.value - prior.mean(one);
    for (Eigen::Index j = 0; j < count; ++j) {
      covariance(i, j) = prior.covariance(one, seen[static_cast<std::size_t>(j)]);
    }
    covariance(i, i) += square(std::max(one.reward.standard_deviation, kLeastDeviation));
  }
  Canaries canaries;
  canaries.factor.compute(covariance);
  canaries.weights = canaries.factor.solve(surprise);
  const Matrix lower = canaries.factor.matrixL();
  canaries.log_likelihood =
      -0.5 * surprise.dot(canaries.weights) - lower.diagonal().array().log().sum();
  return canaries;
}

}  // namespace

ProductionCorrection correct_by_production(std::span<const TrialReward> staging,
                                           std::span<const CanaryObservation> seen,
                                           const Likeness& likeness) {
  ProductionCorrection correction;
  correction.offset_deviation = kOffset;
  correction.slope_deviation = kSlope;
  correction.worth.assign(staging.begin(), staging.end());
  if (seen.empty()) {
    return correction;
  }
  Canaries canaries;
  double likeliest = -HUGE_VAL;
  for (const double scatter : kScatters) {
    Canaries weighed = weigh(Prior(staging, likeness, scatter), seen);
    const double likelihood =
        weighed.log_likelihood - 0.5 * square(std::log2(scatter / kUsualScatter));
    if (likelihood > likeliest) {
      likeliest = likelihood;
      correction.scatter = scatter;
      canaries = std::move(weighed);
    }
  }
  const auto count = static_cast<Eigen::Index>(seen.size());
  // Of something whose covariances with the canaries are known: by how much they move its mean, and
  // lessen its variance.
  const auto moved = [&](const Vector& shared) { return shared.dot(canaries.weights); };
  const auto lessened = [&](const Vector& shared) {
    return shared.dot(canaries.factor.solve(shared));
  };
  Vector offset(count);
  Vector slope(count);
  std::vector<bool> tried(staging.size(), false);
  for (Eigen::Index i = 0; i < count; ++i) {
    const CanaryObservation& one = seen[static_cast<std::size_t>(i)];
    offset[i] = one.known_good ? 0 : square(kOffset);
    slope[i] = square(kSlope) *
               (staging[one.tried].value - (one.known_good ? staging[*one.known_good].value : 0));
    tried[one.tried] = true;
  }
  correction.offset = moved(offset);
  correction.offset_deviation = std::sqrt(std::max(0.0, square(kOffset) - lessened(offset)));
  correction.slope = 1 + moved(slope);
  correction.slope_deviation = std::sqrt(std::max(0.0, square(kSlope) - lessened(slope)));
  const Prior prior(staging, likeness, correction.scatter);
  for (std::size_t i = 0; i < staging.size(); ++i) {
    Vector shared(count);
    for (Eigen::Index k = 0; k < count; ++k) {
      shared[k] = prior.covariance(i, seen[static_cast<std::size_t>(k)]);
    }
    correction.worth[i].value += moved(shared);
    const double deviation =
        tried[i] ? std::sqrt(std::max(0.0, prior.covariance(i, i) - lessened(shared)))
                 : std::max(correction.slope, 0.1) * staging[i].standard_deviation;
    correction.worth[i].standard_deviation = std::max(deviation, kLeastDeviation);
  }
  return correction;
}

}  // namespace hone
