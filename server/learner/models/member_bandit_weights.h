// What a bandit over members has learnt. For member_bandit.cc and member_bandit_model.cc only.
#pragma once

#include <limits>
#include <span>

#include "server/learner/models/member_bandit.h"

#include <Eigen/Core>

namespace hone {

struct MemberBandit::Weights {
  Eigen::VectorXd mean;   // of the features
  Eigen::VectorXd scale;  // 1 / standard deviation; 0 for a feature that never changes
  Eigen::VectorXd value;  // of each member, over all programs
  Eigen::MatrixXd slope;  // features x members
  Eigen::VectorXd error;  // standard error of each member's value
  Eigen::MatrixXd left;   // programs x members: reward beyond the guess, 0 where it was not tried
  double penalty = std::numeric_limits<double>::infinity();
  double caution = 1;

  Eigen::VectorXd guess(std::span<const double> features) const {
    const Eigen::Map<const Eigen::VectorXd> raw(features.data(), mean.size());
    // Held within five deviations: a line goes on for ever.
    const Eigen::VectorXd x = (raw - mean).cwiseProduct(scale).cwiseMax(-5).cwiseMin(5);
    return value + slope.transpose() * x;
  }
};

}  // namespace hone
