#include "server/learner/models/ppo.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "server/learner/models/adam.h"

namespace hone {
namespace {

struct Episode {
  std::vector<Situation> seen;  // before each action
  std::vector<std::size_t> actions;
  std::vector<double> log_probabilities;
  std::vector<double> values;
  std::vector<double> rewards;
};

// Every program comes as often as any other, in an order that is drawn anew each time round.
class Programs {
 public:
  Programs(std::size_t count, Random& random) : order_(count), next_(count), random_(random) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
  }
  std::size_t next() {
    if (next_ == order_.size()) {
      random_.shuffle(order_);
      next_ = 0;
    }
    return order_[next_++];
  }

 private:
  std::vector<std::size_t> order_;
  std::size_t next_;
  Random& random_;
};

class Trainer {
 public:
  Trainer(Environment& environment, const PpoSettings& settings)
      : environment_(environment),
        settings_(settings),
        random_(settings.seed),
        programs_(environment.programs(), random_),
        network_({environment.inputs(), settings.hidden, environment.actions()}, settings.seed),
        adam_(network_.weights().size()) {}

  Result<StepPolicy> train(const PpoHooks& hooks) {
    std::size_t steps = 0;
    const double all = static_cast<double>(settings_.steps);
    while (steps < settings_.steps) {
      if (hooks.stop.stop_requested()) {
        return fail(ErrorCode::cancelled, "stopped before the policy was trained");
      }
      std::vector<Episode> batch;
      while (batch.size() < settings_.episodes) {
        HONE_CHECK(collect(batch));
      }
      if (!scale_) {
        // The network saw zeros: these episodes only tell what inputs look like.
        scale_ = scale_of(batch);
        for (const Episode& episode : batch) {
          steps += episode.actions.size();
        }
        continue;
      }
      const double done = static_cast<double>(steps) / all;
      PpoProgress progress;
      progress.final_rewards = done >= 1 - settings_.final_share;
      const std::vector<PpoStep> made = steps_of(batch, progress);
      steps += made.size();
      progress.steps = steps;
      progress.entropy = update(made, settings_.rate * std::max(1 - done, 0.1));
      if (!network_.weights().allFinite()) {
        return fail(ErrorCode::unsupported,
                    "the training went astray: weights are not finite; try a lower rate");
      }
      if (hooks.on_batch) {
        hooks.on_batch(progress);
      }
    }
    return StepPolicy{std::move(network_), *std::move(scale_)};
  }

 private:
  std::vector<double> scaled(const Situation& situation) const {
    return scale_ ? scale_->apply(situation.observation)
                  : std::vector<double>(situation.observation.size());
  }

  Result<void> collect(std::vector<Episode>& batch) {
    const std::size_t count = std::min(settings_.at_once, settings_.episodes - batch.size());
    std::vector<std::size_t> programs(count);
    std::ranges::generate(programs, [this] { return programs_.next(); });
    std::vector<Episode> episodes(count);
    HONE_TRY(std::vector<Situation> situations, environment_.begin(programs));
    while (!std::ranges::all_of(situations, &Situation::done)) {
      Eigen::MatrixXd inputs = Eigen::MatrixXd::Zero(
          static_cast<Eigen::Index>(environment_.inputs()), static_cast<Eigen::Index>(count));
      for (std::size_t i = 0; i < count; ++i) {
        if (!situations[i].done) {
          const std::vector<double> column = scaled(situations[i]);
          inputs.col(static_cast<Eigen::Index>(i)) =
              Eigen::Map<const Eigen::VectorXd>(column.data(), inputs.rows());
        }
      }
      const ActorCritic::Pass pass = network_.forward(std::move(inputs));
      std::vector<std::size_t> actions(count);
      std::vector<std::size_t> running;
      for (std::size_t i = 0; i < count; ++i) {
        if (situations[i].done) {
          continue;
        }
        running.push_back(i);
        const auto column = static_cast<Eigen::Index>(i);
        const Eigen::VectorXd p = masked_softmax(pass.scores.col(column), situations[i].allowed);
        actions[i] = draw(p, random_);
        episodes[i].actions.push_back(actions[i]);
        episodes[i].log_probabilities.push_back(std::log(p(static_cast<Eigen::Index>(actions[i]))));
        episodes[i].values.push_back(pass.values(column));
        episodes[i].seen.push_back(std::move(situations[i]));
      }
      HONE_TRY(situations, environment_.step(actions));
      for (const std::size_t i : running) {
        episodes[i].rewards.push_back(situations[i].reward);
      }
    }
    std::ranges::move(episodes, std::back_inserter(batch));
    return {};
  }

  static InputScale scale_of(const std::vector<Episode>& batch) {
    std::vector<Situation> seen;
    for (const Episode& episode : batch) {
      seen.insert(seen.end(), episode.seen.begin(), episode.seen.end());
    }
    return InputScale::of(seen);
  }

  // With advantages and returns; also tells of the episodes.
  std::vector<PpoStep> steps_of(const std::vector<Episode>& batch, PpoProgress& progress) const {
    std::vector<PpoStep> steps;
    for (const Episode& episode : batch) {
      const std::size_t length = episode.actions.size();
      std::vector<double> rewards = episode.rewards;
      const double sum = std::accumulate(rewards.begin(), rewards.end(), 0.0);
      if (progress.final_rewards && length > 0) {
        std::ranges::fill(rewards, 0.0);
        rewards.back() = sum;
      }
      std::vector<double> advantages(length);
      double advantage = 0;
      double after = 0;  // the value of the state that follows
      for (std::size_t i = length; i-- > 0;) {
        const double surprise = rewards[i] + settings_.discount * after - episode.values[i];
        advantage = surprise + settings_.discount * settings_.trace * advantage;
        advantages[i] = advantage;
        after = episode.values[i];
      }
      for (std::size_t i = 0; i < length; ++i) {
        steps.push_back({scaled(episode.seen[i]), episode.seen[i].allowed, episode.actions[i],
                         episode.log_probabilities[i], advantages[i],
                         advantages[i] + episode.values[i]});
      }
      progress.reward += sum / static_cast<double>(batch.size());
      progress.length += static_cast<double>(length) / static_cast<double>(batch.size());
    }
    normalise(steps);
    return steps;
  }

  // To mean 0 and deviation 1, so that the rate means the same whatever rewards are counted in.
  static void normalise(std::vector<PpoStep>& steps) {
    const auto count = static_cast<double>(steps.size());
    double mean = 0;
    for (const PpoStep& step : steps) {
      mean += step.advantage / count;
    }
    double square = 0;
    for (PpoStep& step : steps) {
      step.advantage -= mean;
      square += step.advantage * step.advantage / count;
    }
    const double deviation = std::sqrt(square) + 1e-8;
    for (PpoStep& step : steps) {
      step.advantage /= deviation;
    }
  }

  // The mean entropy.
  double update(const std::vector<PpoStep>& steps, double rate) {
    std::vector<std::size_t> order(steps.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    double entropy = 0;
    double count = 0;
    for (std::size_t epoch = 0; epoch < settings_.epochs; ++epoch) {
      random_.shuffle(order);
      for (std::size_t from = 0; from < order.size(); from += settings_.minibatch) {
        const std::size_t size = std::min(settings_.minibatch, order.size() - from);
        PpoLoss loss =
            ppo_loss(network_, steps, std::span(order).subspan(from, size), settings_.loss);
        entropy += loss.entropy;
        count += 1;
        if (loss.divergence > settings_.far) {
          return entropy / count;
        }
        adam_.step(network_.weights(), std::move(loss.gradient), rate, settings_.longest_gradient);
      }
    }
    return entropy / count;
  }

  Environment& environment_;
  const PpoSettings& settings_;
  Random random_;
  Programs programs_;
  ActorCritic network_;
  Adam adam_;
  std::optional<InputScale> scale_;  // of the first batch
};

}  // namespace

Result<StepPolicy> train_ppo(Environment& environment, const PpoSettings& settings,
                             const PpoHooks& hooks) {
  return Trainer(environment, settings).train(hooks);
}

}  // namespace hone
