// The loss of proximal policy optimisation (Schulman et al., arXiv 1707.06347) over some steps, and
// its gradient:
//
//   mean of -min(r A, clip(r, 1 - c, 1 + c) A) + value_weight / 2 (V - R)^2 - entropy_weight H
//
// r = pi(a|s) / pi_old(a|s), A the advantage, R the return, H the entropy of pi(.|s) over the
// actions that are allowed. Pure mathematics. Thread safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "server/learner/models/actor_critic.h"

#include <Eigen/Core>

namespace hone {

struct PpoStep {
  std::vector<double> observation;    // as the network sees it
  std::vector<std::uint8_t> allowed;  // of each action
  std::size_t action = 0;
  double log_probability = 0;  // of the action when it was taken
  double advantage = 0;
  double target = 0;  // the return, for the critic
};

struct PpoLossSettings {
  double clip = 0.2;
  double value_weight = 0.5;
  double entropy_weight = 0.003;
};

struct PpoLoss {
  double loss = 0;
  double entropy = 0;     // mean, in nats
  double divergence = 0;  // mean of (r - 1) - ln r, which estimates the divergence from pi_old
  Eigen::VectorXd gradient;
};

// `chosen`: which of the steps, at least one.
PpoLoss ppo_loss(const ActorCritic& network, std::span<const PpoStep> steps,
                 std::span<const std::size_t> chosen, const PpoLossSettings& settings);

}  // namespace hone
