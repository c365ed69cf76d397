// learner_ope [LOGS]: what off-policy evaluation promises, by simulation. For learner_ope.sh.
//
// A world of 8 features and 12 actions whose mean reward is not linear in the features (so the
// model is wrong, as it will be), noise of 3 %, and a behaviour policy that explores. Prints a
// table, then NAME=VALUE lines:
//   coverage_ips, coverage_snips, coverage_doubly_robust   share of the 95 % intervals that hold
//   the
//                   true value of the target policy
//   rmse_...        of each estimate
//   published       of 200 trials in which a policy that is worse than the current one is judged by
//                   the luckiest of 20 logs, those in which it is published
//   lucky           of these trials, those in which the log alone would have published it
//   found           of 200 trials with a policy that is better, those in which it is published
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "common/base/random.h"
#include "common/stats/normal.h"
#include "server/learner/ope/off_policy.h"
#include "server/learner/ope/publish_gate.h"

namespace hone {
namespace {

constexpr std::size_t kFeatures = 8;
constexpr std::size_t kActions = 12;
constexpr double kNoise = 0.03;
constexpr double kScale = 0.05;  // of rewards
constexpr std::size_t kRows = 2'000;
constexpr std::size_t kTruthStates = 40'000;
constexpr std::size_t kTrials = 200;
constexpr std::size_t kLuckOf = 20;
// How much worse the bad policy is, in reward; the truth is known to about 0.0001.
constexpr double kLeastLost = 0.0005;
constexpr double kMostLost = 0.002;
constexpr std::size_t kLuckyRows = 400;
constexpr std::size_t kFreshPairs = 96;

double normal_draw(Random& random) {
  return normal_quantile((static_cast<double>(random.bits() >> 12U) + 0.5) * 0x1p-52);
}

using Scores = std::array<std::array<double, kFeatures + 1>, kActions>;

double score(const Scores& scores, std::size_t action, std::span<const double> features) {
  double sum = scores[action][kFeatures];
  for (std::size_t i = 0; i < kFeatures; ++i) {
    sum += scores[action][i] * features[i];
  }
  return sum;
}

// Softmax of the scores with this sharpness, mixed with a uniform choice.
PolicyProbabilities softmax(const Scores& scores, double sharpness, double uniform) {
  return [scores, sharpness, uniform](std::span<const double> features) {
    std::vector<double> chances(kActions);
    double sum = 0;
    for (std::size_t a = 0; a < kActions; ++a) {
      chances[a] = std::exp(sharpness * score(scores, a, features));
      sum += chances[a];
    }
    for (double& chance : chances) {
      chance = (1 - uniform) * chance / sum + uniform / kActions;
    }
    return chances;
  };
}

struct World {
  Scores truth{};
  double mean_reward(std::size_t action, std::span<const double> features) const {
    return kScale * std::tanh(score(truth, action, features));
  }
};

std::vector<double> state(Random& random) {
  std::vector<double> features(kFeatures);
  for (double& feature : features) {
    feature = normal_draw(random);
  }
  return features;
}

std::size_t draw(const std::vector<double>& chances, Random& random) {
  double left = random.uniform();
  for (std::size_t a = 0; a + 1 < chances.size(); ++a) {
    left -= chances[a];
    if (left < 0) {
      return a;
    }
  }
  return chances.size() - 1;
}

DecisionLog make_log(const World& world, const PolicyProbabilities& behaviour, std::size_t rows,
                     Random& random) {
  DecisionLog log;
  log.actions = kActions;
  for (std::size_t i = 0; i < rows; ++i) {
    LoggedDecision row;
    row.features = state(random);
    const std::vector<double> chances = behaviour(row.features);
    row.action = draw(chances, random);
    row.log_propensity = std::log(chances[row.action]);
    row.reward = world.mean_reward(row.action, row.features) + kNoise * normal_draw(random);
    log.rows.push_back(std::move(row));
  }
  return log;
}

double true_value(const World& world, const PolicyProbabilities& policy, Random& random) {
  double sum = 0;
  for (std::size_t i = 0; i < kTruthStates; ++i) {
    const std::vector<double> features = state(random);
    const std::vector<double> chances = policy(features);
    for (std::size_t a = 0; a < kActions; ++a) {
      sum += chances[a] * world.mean_reward(a, features);
    }
  }
  return sum / kTruthStates;
}

Scores perturbed(const Scores& scores, double by, Random& random) {
  Scores made = scores;
  for (auto& row : made) {
    for (double& weight : row) {
      weight += by * normal_draw(random);
    }
  }
  return made;
}

// Pairs of the new and the current policy in fresh states, each measured once.
OffPolicyEstimate fresh_pairs(const World& world, const PolicyProbabilities& policy,
                              const PolicyProbabilities& current, Random& random) {
  // As a log whose one action was taken for sure: the interval of its mean.
  DecisionLog log;
  log.actions = 1;
  for (std::size_t i = 0; i < kFreshPairs; ++i) {
    const std::vector<double> features = state(random);
    const double made = world.mean_reward(draw(policy(features), random), features);
    const double now = world.mean_reward(draw(current(features), random), features);
    log.rows.push_back({{}, 0, 0.0, made - now + kNoise * normal_draw(random)});
  }
  const auto sure = [](std::span<const double>) { return std::vector<double>{1.0}; };
  const Result<OffPolicyResult> result = evaluate_off_policy(log, sure);
  return result ? result->ips : OffPolicyEstimate{};
}

struct Tally {
  std::size_t covered = 0;
  double squares = 0;
  void add(const OffPolicyEstimate& estimate, double truth) {
    covered += estimate.low <= truth && truth <= estimate.high ? 1 : 0;
    squares += (estimate.value - truth) * (estimate.value - truth);
  }
};

struct Worlds {
  World world;
  PolicyProbabilities behaviour;
  PolicyProbabilities target;
};

Worlds make_world(Random& random) {
  Worlds made;
  for (auto& row : made.world.truth) {
    for (double& weight : row) {
      weight = 0.5 * normal_draw(random);
    }
  }
  made.behaviour = softmax(perturbed(made.world.truth, 0.4, random), 0.7, 0.3);
  made.target = softmax(perturbed(made.world.truth, 0.2, random), 2.0, 0.05);
  return made;
}

int coverage(std::size_t logs) {
  Tally ips;
  Tally snips;
  Tally robust;
  double direct = 0;
  double effective = 0;
  for (std::size_t i = 0; i < logs; ++i) {
    Random random(1'000 + i);
    const Worlds made = make_world(random);
    const double truth = true_value(made.world, made.target, random);
    const DecisionLog log = make_log(made.world, made.behaviour, kRows, random);
    const Result<OffPolicyResult> result = evaluate_off_policy(log, made.target);
    if (!result) {
      std::fprintf(stderr, "%s\n", result.error().describe().c_str());
      return 1;
    }
    ips.add(result->ips, truth);
    snips.add(result->snips, truth);
    robust.add(result->doubly_robust, truth);
    direct += (result->direct - truth) * (result->direct - truth);
    effective += result->effective_sample_size;
  }
  const auto count = static_cast<double>(logs);
  std::printf("%zu logs of %zu decisions, effective sample %.0f on average\n", logs, kRows,
              effective / count);
  std::printf("%-15s %10s %10s\n", "estimate", "RMSE", "coverage");
  std::printf("%-15s %10.5f %10s\n", "direct", std::sqrt(direct / count), "-");
  for (const auto& [name, tally] :
       {std::pair{"ips", ips}, std::pair{"snips", snips}, std::pair{"doubly_robust", robust}}) {
    std::printf("%-15s %10.5f %10.3f\n", name, std::sqrt(tally.squares / count),
                static_cast<double>(tally.covered) / count);
  }
  for (const auto& [name, tally] :
       {std::pair{"ips", ips}, std::pair{"snips", snips}, std::pair{"doubly_robust", robust}}) {
    std::printf("coverage_%s=%.3f\nrmse_%s=%.5f\n", name,
                static_cast<double>(tally.covered) / count, name, std::sqrt(tally.squares / count));
  }
  return 0;
}

// A policy judged by the luckiest of `logs` logs: whether the gate lets it through.
PublishDecision judged(const Worlds& made, const PolicyProbabilities& policy, std::size_t logs,
                       Random& random, bool& by_log_alone) {
  PublishEvidence evidence;
  double luckiest = -1e9;
  for (std::size_t k = 0; k < logs; ++k) {
    const DecisionLog log = make_log(made.world, made.behaviour, kLuckyRows, random);
    const Result<OffPolicyEstimate> difference = compare_off_policy(log, policy, made.target);
    const Result<OffPolicyResult> own = evaluate_off_policy(log, policy);
    if (difference && own && difference->low > luckiest) {
      luckiest = difference->low;
      evidence.difference = *difference;
      evidence.effective_sample_size = own->effective_sample_size;
      evidence.weight = own->weight;
    }
  }
  by_log_alone = luckiest > 0;
  evidence.fresh = fresh_pairs(made.world, policy, made.target, random);
  return decide_publication(evidence);
}

// A policy that is worse than the current one (the target), but by so little that luck can hide it.
PolicyProbabilities little_worse(const Worlds& made, Random& random) {
  const double current = true_value(made.world, made.target, random);
  for (;;) {
    PolicyProbabilities policy = softmax(perturbed(made.world.truth, 0.25, random), 2.0, 0.05);
    const double lost = current - true_value(made.world, policy, random);
    if (lost > kLeastLost && lost < kMostLost) {
      return policy;
    }
  }
}

void gate() {
  std::size_t published = 0;
  std::size_t lucky = 0;
  std::size_t found = 0;
  for (std::size_t i = 0; i < kTrials; ++i) {
    Random random(50'000 + i);
    const Worlds made = make_world(random);
    bool by_log_alone = false;
    const PolicyProbabilities bad = little_worse(made, random);
    published += judged(made, bad, kLuckOf, random, by_log_alone).publish ? 1 : 0;
    lucky += by_log_alone ? 1 : 0;
    // Better: the truth itself, sharper.
    const PolicyProbabilities good = softmax(made.world.truth, 8.0, 0.0);
    found += judged(made, good, 1, random, by_log_alone).publish ? 1 : 0;
  }
  std::printf("published=%zu\nlucky=%zu\nfound=%zu\ntrials=%zu\n", published, lucky, found,
              kTrials);
}

}  // namespace
}  // namespace hone

int main(int argc, char** argv) {
  const std::size_t logs = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 200;
  if (logs == 0) {
    std::fprintf(stderr, "usage: learner_ope [LOGS, at least 1]\n");
    return 2;
  }
  if (hone::coverage(logs) != 0) {
    return 1;
  }
  hone::gate();
  return 0;
}
