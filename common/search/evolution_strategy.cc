#include "common/search/evolution_strategy.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "common/base/text.h"
#include "common/pipelines/action_table.h"
#include "common/pipelines/mutation.h"

namespace hone {
namespace {

constexpr double kLeastRate = 0.25;
constexpr double kMostRate = 16;

// Knuth's method: products of uniform numbers. The rate is small.
std::size_t poisson(double rate, Random& random) {
  const double limit = std::exp(-rate);
  std::size_t count = 0;
  for (double product = random.uniform(); product > limit; product *= random.uniform()) {
    ++count;
  }
  return count;
}

}  // namespace

std::vector<Sequence> EvolutionStrategy::ask() {
  asked_.clear();
  if (!begun_) {
    asked_.push_back(parent_);
  }
  while (begun_ && asked_.size() < settings_.width) {
    const bool first_half = asked_.size() < settings_.width / 2;
    asked_.push_back(child(first_half ? rate_ / 2 : rate_ * 2));
  }
  std::vector<Sequence> sequences;
  for (const Forest& forest : asked_) {
    sequences.push_back({print(forest)});
  }
  return sequences;
}

void EvolutionStrategy::tell(std::span<const Evaluation> evaluations) {
  double best = std::numeric_limits<double>::infinity();
  std::size_t chosen = asked_.size();
  for (std::size_t i = 0; i < evaluations.size(); ++i) {
    if (evaluations[i].cost && *evaluations[i].cost < best) {
      best = *evaluations[i].cost;
      chosen = i;
    }
  }
  if (!std::exchange(begun_, true)) {
    cost_ = best;  // infinity if the start fails: then any child is better
    return;
  }
  const bool of_the_best = random_.chance(1, 2) && chosen < asked_.size();
  const bool halve = of_the_best ? chosen < settings_.width / 2 : random_.chance(1, 2);
  rate_ = std::clamp(halve ? rate_ / 2 : rate_ * 2, kLeastRate, kMostRate);
  if (chosen < asked_.size() && best <= cost_) {
    cost_ = best;
    parent_ = std::move(asked_[chosen]);
  }
}

void EvolutionStrategy::hear(const RankedSequence& found) {
  Result<Forest> forest = parse_pipeline(join(found.sequence, ","));
  if (found.cost < cost_ && forest && check_pipeline(*forest, settings_.llvm_major)) {
    cost_ = found.cost;
    parent_ = *std::move(forest);
    begun_ = true;
  }
}

Forest EvolutionStrategy::child(double rate) {
  return mutate(parent_, settings_.llvm_major, 1 + poisson(rate, random_), random_,
                settings_.successors.get())
      .forest;
}

}  // namespace hone
