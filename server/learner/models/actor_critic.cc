#include "server/learner/models/actor_critic.h"

#include <cmath>
#include <numbers>

namespace hone {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

Eigen::Index index(std::size_t n) {
  return static_cast<Eigen::Index>(n);
}

// Where the layers of one network lie in the weights.
struct Layers {
  Eigen::Index inputs, hidden, outputs, begin;

  Eigen::Index first() const { return begin; }
  Eigen::Index first_bias() const { return first() + hidden * inputs; }
  Eigen::Index second() const { return first_bias() + hidden; }
  Eigen::Index second_bias() const { return second() + hidden * hidden; }
  Eigen::Index third() const { return second_bias() + hidden; }
  Eigen::Index third_bias() const { return third() + outputs * hidden; }
  Eigen::Index end() const { return third_bias() + outputs; }
};

Layers actor(const ActorCriticShape& shape) {
  return {index(shape.inputs), index(shape.hidden), index(shape.actions), 0};
}
Layers critic(const ActorCriticShape& shape) {
  return {index(shape.inputs), index(shape.hidden), 1, actor(shape).end()};
}

Eigen::Map<const Matrix> matrix(const Vector& weights, Eigen::Index at, Eigen::Index rows,
                                Eigen::Index columns) {
  return {weights.data() + at, rows, columns};
}

void run(const Layers& net, const Vector& weights, const Matrix& inputs, Matrix& first,
         Matrix& second, Matrix& outputs) {
  first = ((matrix(weights, net.first(), net.hidden, net.inputs) * inputs).colwise() +
           weights.segment(net.first_bias(), net.hidden))
              .array()
              .tanh();
  second = ((matrix(weights, net.second(), net.hidden, net.hidden) * first).colwise() +
            weights.segment(net.second_bias(), net.hidden))
               .array()
               .tanh();
  outputs = (matrix(weights, net.third(), net.outputs, net.hidden) * second).colwise() +
            weights.segment(net.third_bias(), net.outputs);
}

void run_back(const Layers& net, const Vector& weights, const Matrix& inputs, const Matrix& first,
              const Matrix& second, const Matrix& by_outputs, Vector& gradient) {
  const auto put = [&](Eigen::Index at, const Matrix& part) {
    gradient.segment(at, part.size()) = part.reshaped();
  };
  put(net.third(), by_outputs * second.transpose());
  put(net.third_bias(), by_outputs.rowwise().sum());
  Matrix by_second = matrix(weights, net.third(), net.outputs, net.hidden).transpose() * by_outputs;
  by_second.array() *= 1 - second.array().square();
  put(net.second(), by_second * first.transpose());
  put(net.second_bias(), by_second.rowwise().sum());
  Matrix by_first = matrix(weights, net.second(), net.hidden, net.hidden).transpose() * by_second;
  by_first.array() *= 1 - first.array().square();
  put(net.first(), by_first * inputs.transpose());
  put(net.first_bias(), by_first.rowwise().sum());
}

// Normal deviates (Box and Muller 1958) of this standard deviation.
void fill(Eigen::Ref<Vector> part, double deviation, Random& random) {
  for (double& weight : part) {
    const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
    weight = deviation * radius * std::cos(2 * std::numbers::pi * random.uniform());
  }
}

// `last` scales the last layer: an actor begins near the uniform policy.
void fill(const Layers& net, double last, Vector& weights, Random& random) {
  const auto deviation = [](Eigen::Index fan_in) {
    return 1 / std::sqrt(static_cast<double>(fan_in));
  };
  fill(weights.segment(net.first(), net.hidden * net.inputs), deviation(net.inputs), random);
  fill(weights.segment(net.second(), net.hidden * net.hidden), deviation(net.hidden), random);
  fill(weights.segment(net.third(), net.outputs * net.hidden), last * deviation(net.hidden),
       random);
}

}  // namespace

std::size_t weight_count(const ActorCriticShape& shape) {
  return static_cast<std::size_t>(critic(shape).end());
}

ActorCritic::ActorCritic(const ActorCriticShape& shape)
    : shape_(shape), weights_(Vector::Zero(index(weight_count(shape)))) {}

ActorCritic::ActorCritic(const ActorCriticShape& shape, std::uint64_t seed) : ActorCritic(shape) {
  Random random(seed);
  fill(actor(shape_), 0.01, weights_, random);
  fill(critic(shape_), 1, weights_, random);
}

Result<ActorCritic> ActorCritic::from_weights(const ActorCriticShape& shape,
                                              std::span<const double> weights) {
  const auto fits = [](std::size_t count, std::size_t most) { return count > 0 && count <= most; };
  if (!fits(shape.inputs, kMaxInputs) || !fits(shape.hidden, kMaxHidden) ||
      !fits(shape.actions, kMaxPolicyActions)) {
    return fail(ErrorCode::invalid_argument,
                "a network of " + std::to_string(shape.inputs) + " inputs, " +
                    std::to_string(shape.hidden) + " hidden units and " +
                    std::to_string(shape.actions) + " actions: must be 1 to " +
                    std::to_string(kMaxInputs) + ", " + std::to_string(kMaxHidden) + " and " +
                    std::to_string(kMaxPolicyActions));
  }
  if (weights.size() != weight_count(shape)) {
    return fail(ErrorCode::invalid_argument, std::to_string(weights.size()) +
                                                 " weights: this network has " +
                                                 std::to_string(weight_count(shape)));
  }
  ActorCritic made(shape);
  made.weights_ = Eigen::Map<const Vector>(weights.data(), index(weights.size()));
  if (!made.weights_.allFinite()) {
    return fail(ErrorCode::invalid_argument, "a weight of the network is not finite");
  }
  return made;
}

ActorCritic::Pass ActorCritic::forward(Matrix inputs) const {
  Pass pass;
  pass.inputs = std::move(inputs);
  run(actor(shape_), weights_, pass.inputs, pass.actor_first, pass.actor_second, pass.scores);
  Matrix values;
  run(critic(shape_), weights_, pass.inputs, pass.critic_first, pass.critic_second, values);
  pass.values = values.row(0).transpose();
  return pass;
}

Vector ActorCritic::backward(const Pass& pass, const Matrix& by_scores,
                             const Vector& by_values) const {
  Vector gradient(weights_.size());
  run_back(actor(shape_), weights_, pass.inputs, pass.actor_first, pass.actor_second, by_scores,
           gradient);
  run_back(critic(shape_), weights_, pass.inputs, pass.critic_first, pass.critic_second,
           by_values.transpose(), gradient);
  return gradient;
}

Vector masked_softmax(const Vector& scores, std::span<const std::uint8_t> allowed) {
  const Eigen::Map<const Eigen::Array<std::uint8_t, Eigen::Dynamic, 1>> mask(allowed.data(),
                                                                             index(allowed.size()));
  const auto kept = (mask != std::uint8_t{0});
  const double highest = kept.select(scores.array(), -1e300).maxCoeff();
  Vector probabilities = kept.select((scores.array() - highest).exp(), 0.0);
  probabilities /= probabilities.sum();
  return probabilities;
}

std::size_t draw(const Vector& probabilities, Random& random) {
  double left = random.uniform();
  Eigen::Index chosen = 0;
  for (Eigen::Index i = 0; i < probabilities.size(); ++i) {
    if (probabilities(i) > 0) {
      chosen = i;  // rounding may leave the last one to be drawn
      left -= probabilities(i);
      if (left < 0) {
        break;
      }
    }
  }
  return static_cast<std::size_t>(chosen);
}

std::size_t most_probable(const Vector& probabilities) {
  Eigen::Index best = 0;
  probabilities.maxCoeff(&best);
  return static_cast<std::size_t>(best);
}

}  // namespace hone
