// Adam (Kingma and Ba, arXiv 1412.6980) over one vector of weights. Not thread safe.
#pragma once

#include <cmath>

#include <Eigen/Core>

namespace hone {

class Adam {
 public:
  explicit Adam(Eigen::Index weights)
      : mean_(Eigen::VectorXd::Zero(weights)), square_(Eigen::VectorXd::Zero(weights)) {}

  // Moves the weights against the gradient, which is first shortened to at most `longest`.
  void step(Eigen::VectorXd& weights, Eigen::VectorXd gradient, double rate, double longest) {
    constexpr double kMean = 0.9;
    constexpr double kSquare = 0.999;
    constexpr double kSmall = 1e-8;
    const double length = gradient.norm();
    if (length > longest) {
      gradient *= longest / length;
    }
    ++steps_;
    mean_ = kMean * mean_ + (1 - kMean) * gradient;
    square_ = kSquare * square_ + (1 - kSquare) * gradient.cwiseAbs2();
    const double mean_share = 1 - std::pow(kMean, steps_);
    const double square_share = 1 - std::pow(kSquare, steps_);
    weights.array() -=
        rate * (mean_.array() / mean_share) / ((square_.array() / square_share).sqrt() + kSmall);
  }

 private:
  Eigen::VectorXd mean_;
  Eigen::VectorXd square_;
  double steps_ = 0;
};

}  // namespace hone
