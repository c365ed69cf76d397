#include "server/learner/models/ppo_loss.h"

#include <algorithm>
#include <cmath>

namespace hone {

PpoLoss ppo_loss(const ActorCritic& network, std::span<const PpoStep> steps,
                 std::span<const std::size_t> chosen, const PpoLossSettings& settings) {
  const auto count = static_cast<Eigen::Index>(chosen.size());
  const auto width = static_cast<Eigen::Index>(network.shape().inputs);
  Eigen::MatrixXd inputs(width, count);
  for (Eigen::Index i = 0; i < count; ++i) {
    inputs.col(i) = Eigen::Map<const Eigen::VectorXd>(
        steps[chosen[static_cast<std::size_t>(i)]].observation.data(), width);
  }
  const ActorCritic::Pass pass = network.forward(std::move(inputs));
  Eigen::MatrixXd by_scores(pass.scores.rows(), count);
  Eigen::VectorXd by_values(count);
  PpoLoss result;
  const double share = 1.0 / static_cast<double>(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const PpoStep& step = steps[chosen[static_cast<std::size_t>(i)]];
    const Eigen::VectorXd p = masked_softmax(pass.scores.col(i), step.allowed);
    // An action that is not allowed has probability 0 and no part in any sum.
    const Eigen::VectorXd log_p = p.array().max(1e-300).log();
    const auto action = static_cast<Eigen::Index>(step.action);
    const double log_ratio = log_p(action) - step.log_probability;
    const double ratio = std::exp(log_ratio);
    const double clipped = std::clamp(ratio, 1 - settings.clip, 1 + settings.clip);
    const double gain = std::min(ratio * step.advantage, clipped * step.advantage);
    const double entropy = -p.dot(log_p);
    const double error = pass.values(i) - step.target;
    result.loss += share * (-gain + settings.value_weight / 2 * error * error -
                            settings.entropy_weight * entropy);
    result.entropy += share * entropy;
    result.divergence += share * (ratio - 1 - log_ratio);
    by_values(i) = share * settings.value_weight * error;
    // Where the clipped term is the smaller one it does not depend on the weights.
    const bool moves = ratio * step.advantage <= clipped * step.advantage;
    Eigen::VectorXd by_score = settings.entropy_weight * p.cwiseProduct(log_p);
    by_score += settings.entropy_weight * entropy * p;
    if (moves) {
      by_score += step.advantage * ratio * p;
      by_score(action) -= step.advantage * ratio;
    }
    by_scores.col(i) = share * by_score;
  }
  result.gradient = network.backward(pass, by_scores, by_values);
  return result;
}

}  // namespace hone
