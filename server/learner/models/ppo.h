// Trains a step policy by proximal policy optimisation (ppo_loss.h), with advantages by generalised
// estimation (Schulman et al., arXiv 1506.02438). An episode is worth the sum of its rewards; the
// agent is told of them at once, or of the sum when the episode ends, as where only the finished
// build can be measured. Same environment, settings and seed: same policy. Not thread safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>

#include "common/base/result.h"
#include "server/learner/models/ppo_loss.h"
#include "server/learner/models/step_policy.h"

namespace hone {

struct PpoSettings {
  std::size_t steps = 20'000;   // of the environment, in all
  double final_share = 0;       // of them, at the end, whose rewards come when the episode ends
  std::size_t episodes = 32;    // of a batch
  std::size_t at_once = 32;     // episodes that are stepped together
  std::size_t hidden = 64;      // units of a layer
  std::size_t epochs = 6;       // over each batch, fewer if the policy moves too far
  std::size_t minibatch = 128;  // steps
  double rate = 3e-3;           // of Adam, falling to a tenth
  double discount = 1;
  double trace = 0.95;  // lambda of the advantages
  double far = 0.03;    // divergence that ends a batch's epochs
  double longest_gradient = 0.5;
  PpoLossSettings loss;
  std::uint64_t seed = 1;
};

struct PpoProgress {
  std::size_t steps = 0;
  double reward = 0;  // mean of the batch's episodes
  double length = 0;  // mean, in steps
  double entropy = 0;
  bool final_rewards = false;
};

struct PpoHooks {
  std::function<void(const PpoProgress&)> on_batch;
  std::stop_token stop;
};

// Errors of the environment; cancelled; unsupported if the weights are not finite any more.
Result<StepPolicy> train_ppo(Environment& environment, const PpoSettings& settings,
                             const PpoHooks& hooks = {});

}  // namespace hone
