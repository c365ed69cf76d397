#include "common/search/elite_climb.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "common/pipelines/forest.h"
#include "common/pipelines/mutation.h"

namespace hone {
namespace {

// How far behind the cut an edit may lie, so that some beginning is shared and places are not.
constexpr std::size_t kWindow = 12;
constexpr std::size_t kMostRemoved = 3;
constexpr std::uint64_t kMostEditsInside = 2;
// A child has one edit, or more with this chance for each further one.
constexpr std::uint64_t kAnotherEditOfFour = 1;
// What each kind of edit counts for before it has had a success, and how much a success adds.
constexpr std::uint64_t kFloor = 8;
constexpr std::size_t kMostEnds = 10'000;
// Of two costs that are equal the shorter sequence is kept; so many equal ones are enough.
constexpr std::size_t kMostOfOneCost = 2;

std::ptrdiff_t at(std::size_t place) {
  return static_cast<std::ptrdiff_t>(place);
}

}  // namespace

EliteClimb::EliteClimb(EliteClimbSettings settings)
    : settings_(std::move(settings)), random_(settings_.seed) {
  for (const RankedSequence& known : settings_.known) {
    keep(known.sequence, known.cost);
  }
  if (settings_.successors) {
    for (const std::string& action : settings_.actions) {
      names_.push_back(pass_ends(action).first);
    }
  }
}

const PassEnds& EliteClimb::ends_of(const std::string& pipeline) {
  if (ends_.size() > kMostEnds) {
    ends_.clear();  // edits inside make texts without end
  }
  const auto [found, is_new] = ends_.try_emplace(pipeline);
  if (is_new) {
    found->second = pass_ends(pipeline);
  }
  return found->second;
}

const std::string& EliteClimb::action(const Sequence& sequence, std::size_t place,
                                      std::size_t uniform) {
  if (!settings_.successors) {
    return settings_.actions[uniform];
  }
  const std::string before = place == 0 ? std::string() : ends_of(sequence[place - 1]).last;
  return settings_.actions[settings_.successors->draw(before, names_, random_)];
}

std::vector<Sequence> EliteClimb::ask() {
  asked_.clear();
  if (elite_.empty()) {
    for (const Sequence& sequence : settings_.start) {
      asked_.push_back({sequence, std::nullopt, 0});
    }
  } else {
    const RankedSequence& from = parent();
    const std::size_t cut = random_.below(from.sequence.size() + 1);
    while (asked_.size() < settings_.width) {
      Edit edit = draw_edit();
      Sequence child = changed(from.sequence, edit, cut);
      while (random_.chance(kAnotherEditOfFour, 4)) {
        child = changed(child, draw_edit(), std::min(cut, child.size()));
      }
      asked_.push_back({std::move(child), edit, from.cost});
    }
  }
  std::vector<Sequence> sequences;
  sequences.reserve(asked_.size());
  for (const Child& child : asked_) {
    sequences.push_back(child.sequence);
  }
  return sequences;
}

void EliteClimb::tell(std::span<const Evaluation> evaluations) {
  for (std::size_t i = 0; i < evaluations.size(); ++i) {
    if (!evaluations[i].cost) {
      continue;
    }
    const Child& child = asked_[i];
    if (child.edit && *evaluations[i].cost < child.parent_cost) {
      ++successes_[static_cast<std::size_t>(*child.edit)];
    }
    keep(child.sequence, *evaluations[i].cost);
  }
  if (elite_.empty()) {
    // All of the start failed: go on from nothing, which every program survives.
    elite_.push_back({{}, std::numeric_limits<double>::infinity()});
  }
}

const RankedSequence& EliteClimb::parent() {
  // The best with chance one half, the next with a quarter, and so on.
  std::size_t rank = 0;
  while (rank + 1 < elite_.size() && random_.chance(1, 2)) {
    ++rank;
  }
  return elite_[rank];
}

EliteClimb::Edit EliteClimb::draw_edit() {
  const std::uint64_t all =
      std::accumulate(successes_.begin(), successes_.end(), std::uint64_t{kFloor * kEdits});
  std::uint64_t drawn = random_.below(all);
  for (std::size_t i = 0; i < kEdits; ++i) {
    const std::uint64_t weight = kFloor + successes_[i];
    if (drawn < weight) {
      return static_cast<Edit>(i);
    }
    drawn -= weight;
  }
  return Edit::insert;
}

Sequence EliteClimb::changed(const Sequence& sequence, Edit edit, std::size_t cut) {
  Sequence result = sequence;
  const bool full = result.size() >= settings_.length;
  if (full) {
    cut = std::min(cut, result.size() - 1);
  }
  const std::size_t end = std::min(result.size(), cut + kWindow);
  if (cut >= end || (edit == Edit::swap && end - cut < 2)) {
    edit = Edit::insert;
  }
  if (edit == Edit::insert && full) {
    edit = Edit::replace;
  }
  const std::size_t uniform = random_.below(settings_.actions.size());
  switch (edit) {
    case Edit::insert: {
      const std::size_t place = cut + random_.below(end - cut + 1);
      result.insert(result.begin() + at(place), action(result, place, uniform));
      break;
    }
    case Edit::remove: {
      const std::size_t first = cut + random_.below(end - cut);
      const std::size_t count =
          std::min<std::size_t>(1 + random_.below(kMostRemoved), result.size() - first);
      result.erase(result.begin() + at(first), result.begin() + at(first + count));
      if (result.empty()) {
        // Nothing at all is not a way to compile.
        result.push_back(action(result, 0, uniform));
      }
      break;
    }
    case Edit::replace: {
      const std::size_t place = cut + random_.below(end - cut);
      result[place] = action(result, place, uniform);
      break;
    }
    case Edit::swap: {
      const std::size_t first = cut + random_.below(end - cut - 1);
      std::swap(result[first], result[first + 1]);
      break;
    }
    case Edit::inside: {
      const std::size_t place = cut + random_.below(end - cut);
      std::string& pipeline = result[place];
      if (const Result<Forest> forest = parse_pipeline(pipeline); forest && !is_default(pipeline)) {
        pipeline = print(mutate(*forest, settings_.llvm_major, 1 + random_.below(kMostEditsInside),
                                random_, settings_.successors.get())
                             .forest);
      } else {
        pipeline = action(result, place, uniform);
      }
      break;
    }
    case Edit::splice:
      return spliced(sequence, cut);
  }
  return result;
}

Sequence EliteClimb::spliced(const Sequence& sequence, std::size_t cut) {
  const Sequence& other = elite_[random_.below(elite_.size())].sequence;
  std::size_t from = random_.below(other.size() + 1);
  if (settings_.successors && cut > 0) {
    // Of two joints the one that weighs more.
    const std::string before = ends_of(sequence[cut - 1]).last;
    const auto joint = [&](std::size_t place) {
      return place == other.size()
                 ? 0
                 : settings_.successors->weight(before, ends_of(other[place]).first);
    };
    const std::size_t second = random_.below(other.size() + 1);
    from = joint(second) > joint(from) ? second : from;
  }
  Sequence result(sequence.begin(), sequence.begin() + at(cut));
  // Either the rest of the other one, or a piece of it in between.
  if (random_.chance(1, 2)) {
    result.insert(result.end(), other.begin() + at(from), other.end());
  } else {
    const std::size_t until = std::min(other.size(), from + 1 + random_.below(kWindow));
    result.insert(result.end(), other.begin() + at(from), other.begin() + at(until));
    result.insert(result.end(), sequence.begin() + at(cut), sequence.end());
  }
  if (result.empty()) {
    return sequence;
  }
  if (result.size() > settings_.length) {
    result.resize(settings_.length);
  }
  return result;
}

void EliteClimb::keep(const Sequence& sequence, double cost) {
  const auto same = [&](const RankedSequence& member) { return member.sequence == sequence; };
  if (std::ranges::any_of(elite_, same)) {
    return;
  }
  std::erase_if(elite_, [](const RankedSequence& member) { return !std::isfinite(member.cost); });
  const auto better = [](const RankedSequence& left, const RankedSequence& right) {
    return left.cost != right.cost ? left.cost < right.cost
                                   : left.sequence.size() < right.sequence.size();
  };
  const RankedSequence made{sequence, cost};
  // In front of its equals, so that plateaus are walked along.
  elite_.insert(std::ranges::lower_bound(elite_, made, better), made);
  std::vector<RankedSequence> kept;
  for (RankedSequence& member : elite_) {
    const std::size_t size = kept.size();
    if (size < kMostOfOneCost || kept[size - kMostOfOneCost].cost != member.cost) {
      kept.push_back(std::move(member));
    }
  }
  elite_ = std::move(kept);
  if (elite_.size() > settings_.elite) {
    elite_.resize(settings_.elite);
  }
}

}  // namespace hone
