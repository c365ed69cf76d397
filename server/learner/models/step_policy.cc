#include "server/learner/models/step_policy.h"

#include <algorithm>
#include <cmath>

namespace hone {
namespace {

constexpr double kLargestInput = 5;
constexpr double kConstant = 1e-9;  // a deviation below it is rounding

}  // namespace

InputScale InputScale::of(std::span<const Situation> seen) {
  const std::size_t width = seen.front().observation.size();
  InputScale made{std::vector<double>(width), std::vector<double>(width)};
  const auto count = static_cast<double>(seen.size());
  for (std::size_t i = 0; i < width; ++i) {
    double sum = 0;
    for (const Situation& situation : seen) {
      sum += situation.observation[i];
    }
    made.mean[i] = sum / count;
    double squares = 0;
    for (const Situation& situation : seen) {
      const double difference = situation.observation[i] - made.mean[i];
      squares += difference * difference;
    }
    const double deviation = std::sqrt(squares / count);
    made.scale[i] = deviation > kConstant ? 1 / deviation : 0;
  }
  return made;
}

std::vector<double> InputScale::apply(std::span<const double> observation) const {
  std::vector<double> scaled(observation.size());
  for (std::size_t i = 0; i < scaled.size(); ++i) {
    scaled[i] = std::clamp((observation[i] - mean[i]) * scale[i], -kLargestInput, kLargestInput);
  }
  return scaled;
}

Eigen::VectorXd StepPolicy::probabilities(const Situation& situation) const {
  const std::vector<double> inputs = scale.apply(situation.observation);
  const ActorCritic::Pass pass = network.forward(
      Eigen::Map<const Eigen::VectorXd>(inputs.data(), static_cast<Eigen::Index>(inputs.size())));
  return masked_softmax(pass.scores.col(0), situation.allowed);
}

Result<std::vector<Rollout>> roll_out(const StepPolicy& policy, Environment& environment,
                                      std::size_t program, std::size_t count, std::uint64_t seed) {
  Random random(seed);
  const std::vector<std::size_t> programs(count, program);
  std::vector<Rollout> rollouts(count);
  HONE_TRY(std::vector<Situation> situations, environment.begin(programs));
  while (!std::ranges::all_of(situations, &Situation::done)) {
    std::vector<std::size_t> actions(count);
    for (std::size_t i = 0; i < count; ++i) {
      if (!situations[i].done) {
        const Eigen::VectorXd p = policy.probabilities(situations[i]);
        actions[i] = i == 0 ? most_probable(p) : draw(p, random);
        rollouts[i].actions.push_back(actions[i]);
        rollouts[i].log_probability += std::log(p(static_cast<Eigen::Index>(actions[i])));
      }
    }
    std::vector<bool> was_done;
    for (const Situation& situation : situations) {
      was_done.push_back(situation.done);
    }
    HONE_TRY(situations, environment.step(actions));
    for (std::size_t i = 0; i < count; ++i) {
      rollouts[i].reward += was_done[i] ? 0 : situations[i].reward;
    }
  }
  return rollouts;
}

}  // namespace hone
