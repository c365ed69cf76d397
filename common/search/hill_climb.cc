#include "common/search/hill_climb.h"

#include <utility>

namespace hone {

std::vector<Sequence> HillClimb::ask() {
  asked_.clear();
  if (!begun_) {
    asked_.push_back(best_);
  }
  while (begun_ && asked_.size() < width_) {
    asked_.push_back(neighbour());
  }
  return asked_;
}

void HillClimb::tell(std::span<const Evaluation> evaluations) {
  begun_ = true;
  for (std::size_t i = 0; i < evaluations.size(); ++i) {
    if (evaluations[i].cost && *evaluations[i].cost <= cost_) {
      cost_ = *evaluations[i].cost;
      best_ = asked_[i];
    }
  }
}

void HillClimb::hear(const RankedSequence& found) {
  if (found.cost < cost_ && found.sequence.size() <= length_) {
    cost_ = found.cost;
    best_ = found.sequence;
    begun_ = true;
  }
}

Sequence HillClimb::neighbour() {
  enum class Edit { insert, remove, replace, swap };
  Sequence sequence = best_;
  const std::string& action = actions_[random_.below(actions_.size())];
  auto edit = static_cast<Edit>(random_.below(4));
  if (sequence.empty() || (edit == Edit::swap && sequence.size() < 2)) {
    edit = Edit::insert;
  }
  if (edit == Edit::insert && sequence.size() >= length_) {
    edit = Edit::replace;
  }
  const auto place = [&](std::size_t places) {
    return sequence.begin() + static_cast<std::ptrdiff_t>(random_.below(places));
  };
  switch (edit) {
    case Edit::insert:
      sequence.insert(place(sequence.size() + 1), action);
      break;
    case Edit::remove:
      sequence.erase(place(sequence.size()));
      break;
    case Edit::replace:
      *place(sequence.size()) = action;
      break;
    case Edit::swap: {
      const auto first = place(sequence.size() - 1);
      std::iter_swap(first, first + 1);
      break;
    }
  }
  return sequence;
}

}  // namespace hone
