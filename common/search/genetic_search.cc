#include "common/search/genetic_search.h"

#include <algorithm>

#include "common/base/text.h"
#include "common/pipelines/action_table.h"
#include "common/pipelines/mutation.h"

namespace hone {
namespace {

constexpr std::size_t kTournament = 3;
// Of ten children, so many have two parents; the others are one parent's, changed.
constexpr std::uint64_t kCrossedOfTen = 6;
constexpr std::uint64_t kMostEdits = 4;

}  // namespace

GeneticSearch::GeneticSearch(const GeneticSettings& settings, std::vector<Forest> start)
    : settings_(settings), random_(settings.seed), asked_(std::move(start)) {
  if (asked_.size() > settings_.population) {
    asked_.resize(settings_.population);
  }
  while (asked_.size() < settings_.population) {
    const std::size_t passes = 1 + random_.below(2 * settings_.length);
    asked_.push_back(
        random_pipeline(settings_.llvm_major, passes, random_, settings_.successors.get()).forest);
  }
}

std::vector<Sequence> GeneticSearch::ask() {
  if (!members_.empty()) {
    asked_.clear();
    while (asked_.size() < settings_.population - settings_.elite) {
      asked_.push_back(child());
    }
  }
  std::vector<Sequence> sequences;
  for (const Forest& forest : asked_) {
    sequences.push_back({print(forest)});
  }
  return sequences;
}

void GeneticSearch::tell(std::span<const Evaluation> evaluations) {
  std::vector<Member> next;
  for (std::size_t i = 0; i < evaluations.size(); ++i) {
    next.push_back({asked_[i], evaluations[i].cost});
  }
  for (std::size_t i = 0; i < std::min(settings_.elite, members_.size()); ++i) {
    next.push_back(members_[i]);
  }
  members_ = std::move(next);
  rank();
}

void GeneticSearch::hear(const RankedSequence& found) {
  Result<Forest> forest = parse_pipeline(join(found.sequence, ","));
  // Whole pipelines are costly to have many of, and more than a few may not be run in one text.
  if (members_.empty() || !forest || !check_pipeline(*forest, settings_.llvm_major)) {
    return;
  }
  members_.back() = {*std::move(forest), found.cost};
  rank();
}

void GeneticSearch::rank() {
  // Failed ones last; equal ones by their text, so that the order is the same everywhere.
  std::ranges::sort(members_, [](const Member& a, const Member& b) {
    if (a.cost.has_value() != b.cost.has_value()) {
      return a.cost.has_value();
    }
    if (a.cost && *a.cost != *b.cost) {
      return *a.cost < *b.cost;
    }
    return print(a.forest) < print(b.forest);
  });
}

const GeneticSearch::Member& GeneticSearch::tournament() {
  std::size_t best = members_.size();
  for (std::size_t i = 0; i < kTournament; ++i) {
    best = std::min<std::size_t>(best, random_.below(members_.size()));
  }
  return members_[best];
}

Forest GeneticSearch::child() {
  const SuccessorWeights* const successors = settings_.successors.get();
  const Forest& first = tournament().forest;
  if (!random_.chance(kCrossedOfTen, 10)) {
    return mutate(first, settings_.llvm_major, 1 + random_.below(kMostEdits), random_, successors)
        .forest;
  }
  const Forest& second = tournament().forest;
  const Forest crossed = crossover(first, second, settings_.llvm_major, random_, successors).forest;
  return mutate(crossed, settings_.llvm_major, 1, random_, successors).forest;
}

}  // namespace hone
