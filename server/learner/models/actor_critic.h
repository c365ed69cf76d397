// Two small networks over one observation: the actor's scores of the actions, and the critic's
// guess of what is still to come. Each has two hidden layers of tanh.
//
// All weights are one vector, in doubles, so that they can be stored, moved by an optimiser and
// held against finite differences as a whole. The same seed gives the same weights. Not thread safe
// while it is changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/base/random.h"
#include "common/base/result.h"

#include <Eigen/Core>

namespace hone {

struct ActorCriticShape {
  std::size_t inputs = 0;
  std::size_t hidden = 64;
  std::size_t actions = 0;
  bool operator==(const ActorCriticShape&) const = default;
};
inline constexpr std::size_t kMaxInputs = 16'384;
inline constexpr std::size_t kMaxHidden = 1'024;
inline constexpr std::size_t kMaxPolicyActions = 4'096;
std::size_t weight_count(const ActorCriticShape& shape);

class ActorCritic {
 public:
  ActorCritic(const ActorCriticShape& shape, std::uint64_t seed);
  // Of stored weights. invalid_argument for a shape past the limits, and for another count of
  // weights or such that are not finite.
  static Result<ActorCritic> from_weights(const ActorCriticShape& shape,
                                          std::span<const double> weights);

  // Each column is an observation; what backward() needs is kept in it.
  struct Pass {
    Eigen::MatrixXd inputs;
    Eigen::MatrixXd actor_first, actor_second;  // of the hidden layers
    Eigen::MatrixXd critic_first, critic_second;
    Eigen::MatrixXd scores;  // actions x observations
    Eigen::VectorXd values;
  };
  Pass forward(Eigen::MatrixXd inputs) const;
  // The gradient of a loss in all weights, from its gradients in scores and values.
  Eigen::VectorXd backward(const Pass& pass, const Eigen::MatrixXd& by_scores,
                           const Eigen::VectorXd& by_values) const;

  const ActorCriticShape& shape() const { return shape_; }
  const Eigen::VectorXd& weights() const { return weights_; }
  Eigen::VectorXd& weights() { return weights_; }

 private:
  explicit ActorCritic(const ActorCriticShape& shape);

  ActorCriticShape shape_;
  Eigen::VectorXd weights_;
};

// Probabilities of the actions that are allowed, 0 for the others; at least one must be.
Eigen::VectorXd masked_softmax(const Eigen::VectorXd& scores,
                               std::span<const std::uint8_t> allowed);
// One of them by their probabilities.
std::size_t draw(const Eigen::VectorXd& probabilities, Random& random);
// The most probable one, the first of equals.
std::size_t most_probable(const Eigen::VectorXd& probabilities);

}  // namespace hone
