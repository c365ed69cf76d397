// A policy that chooses the next action of an episode from what is seen of it: a network and the
// scale that its inputs are brought to. Plain values. Thread safe while it is not changed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/base/random.h"
#include "common/base/result.h"
#include "server/learner/models/actor_critic.h"
#include "server/learner/models/environment.h"

namespace hone {

// (x - mean) * scale, held within +-5: a program unlike those of the training must not saturate the
// network.
struct InputScale {
  std::vector<double> mean;
  std::vector<double> scale;

  // Of these observations, at least one; an input that never changes is scaled to 0.
  static InputScale of(std::span<const Situation> seen);
  std::vector<double> apply(std::span<const double> observation) const;
};

struct StepPolicy {
  ActorCritic network;
  InputScale scale;

  // Of every action, 0 where it is not allowed.
  Eigen::VectorXd probabilities(const Situation& situation) const;
};

struct Rollout {
  std::vector<std::size_t> actions;
  double reward = 0;           // of the whole episode
  double log_probability = 0;  // of its actions
};

// `count` episodes of one program: the first takes the most probable action each time, the others
// draw. Errors of the environment.
Result<std::vector<Rollout>> roll_out(const StepPolicy& policy, Environment& environment,
                                      std::size_t program, std::size_t count, std::uint64_t seed);

}  // namespace hone
