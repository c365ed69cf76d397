#include "common/search/search_bandit.h"

#include <cmath>
#include <optional>
#include <utility>

namespace hone {

SearchBandit::SearchBandit(std::vector<BanditArm> arms, SearchBanditSettings settings)
    : arms_(std::move(arms)), settings_(settings), ended_(arms_.size(), false) {}

std::vector<SearchBandit::ArmCredit> SearchBandit::credits() const {
  std::vector<ArmCredit> credits(arms_.size());
  for (const Use& use : uses_) {
    ArmCredit& credit = credits[use.arm];
    ++credit.evaluations;
    credit.auc += use.was_best ? static_cast<double>(credit.evaluations) : 0.0;
  }
  for (ArmCredit& credit : credits) {
    const auto count = static_cast<double>(credit.evaluations);
    credit.auc *= count == 0 ? 0.0 : 2 / (count * (count + 1));
  }
  return credits;
}

std::size_t SearchBandit::next_arm() const {
  const std::vector<ArmCredit> credits = this->credits();
  const double all = std::log(static_cast<double>(uses_.size() + 1));
  std::size_t chosen = arms_.size();
  double most = -1;
  for (std::size_t i = 0; i < arms_.size(); ++i) {
    const auto count = static_cast<double>(credits[i].evaluations);
    const double worth = count == 0
                             ? std::numeric_limits<double>::infinity()
                             : credits[i].auc + settings_.exploration * std::sqrt(2 * all / count);
    if (!ended_[i] && worth > most) {
      most = worth;
      chosen = i;
    }
  }
  return chosen;
}

std::vector<Sequence> SearchBandit::ask() {
  for (turn_ = next_arm(); turn_ < arms_.size(); turn_ = next_arm()) {
    asked_ = arms_[turn_].search->ask();
    if (!asked_.empty()) {
      return asked_;
    }
    ended_[turn_] = true;
  }
  return {};
}

void SearchBandit::tell(std::span<const Evaluation> evaluations) {
  std::optional<RankedSequence> found;
  for (std::size_t i = 0; i < evaluations.size(); ++i) {
    const bool is_best = evaluations[i].cost && *evaluations[i].cost < best_;
    if (is_best) {
      best_ = *evaluations[i].cost;
      found = RankedSequence{asked_[i], best_};
    }
    uses_.push_back({turn_, is_best});
  }
  while (uses_.size() > settings_.window) {
    uses_.pop_front();
  }
  arms_[turn_].search->tell(evaluations);
  for (std::size_t i = 0; i < arms_.size() && found; ++i) {
    if (i != turn_) {
      arms_[i].search->hear(*found);
    }
  }
}

void SearchBandit::hear(const RankedSequence& found) {
  if (found.cost < best_) {
    best_ = found.cost;
    for (const BanditArm& arm : arms_) {
      arm.search->hear(found);
    }
  }
}

}  // namespace hone
