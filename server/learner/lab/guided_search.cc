#include "server/learner/lab/guided_search.h"

#include <algorithm>

#include <fmt/format.h>

#include "server/learner/lab/sequence_edit.h"

namespace hone {
namespace {

// A child has one edit, or one more with this chance for each further one.
constexpr std::uint64_t kAnotherEditOfFour = 1;
constexpr std::size_t kMostOfOneCost = 2;

}  // namespace

Result<GuidedSearch> GuidedSearch::create(TreeEnsemble trees, GuidedSearchSettings settings) {
  const std::size_t numbers = settings.program.size() + settings.actions.size();
  if (numbers != trees.width()) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("the trees take {} features, the program and {} actions are {}",
                            trees.width(), settings.actions.size(), numbers));
  }
  if (settings.members.empty() || settings.actions.empty() || !(settings.oz > 0)) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("a guided search needs members ({}), actions ({}) and a cost of -Oz "
                            "above 0 ({})",
                            settings.members.size(), settings.actions.size(), settings.oz));
  }
  GuidedSearch made(std::move(trees), std::move(settings));
  made.open_ = made.settings_.members;
  return made;
}

std::vector<double> GuidedSearch::opinion(const std::vector<Sequence>& sequences) {
  if (failed_) {
    return {};
  }
  std::vector<float> values;
  values.reserve(sequences.size() * trees_.width());
  for (const Sequence& sequence : sequences) {
    values.insert(values.end(), settings_.program.begin(), settings_.program.end());
    const std::vector<float> counts = taken(sequence, settings_.actions);
    values.insert(values.end(), counts.begin(), counts.end());
  }
  Result<std::vector<double>> drawn = trees_.draw(values, random_);
  if (!drawn) {
    failed_ = true;
    settings_.say("the trees do not answer: " + drawn.error().describe());
    return {};
  }
  return *std::move(drawn);
}

std::vector<Sequence> GuidedSearch::next_members() {
  std::vector<Sequence> chosen;
  const std::size_t most = std::min(settings_.width, settings_.tried_members - asked_members_);
  while (chosen.size() < most && !open_.empty()) {
    const bool its_turn = (asked_members_ + chosen.size()) % 2 == 1;
    const std::vector<double> worth = its_turn ? opinion(open_) : std::vector<double>();
    const auto best =
        worth.empty() ? std::ptrdiff_t{0} : std::ranges::max_element(worth) - worth.begin();
    chosen.push_back(std::move(open_[static_cast<std::size_t>(best)]));
    open_.erase(open_.begin() + best);
  }
  asked_members_ += chosen.size();
  return chosen;
}

std::vector<Sequence> GuidedSearch::edits_of(const Sequence& parent, std::size_t cut,
                                             std::size_t count,
                                             const std::vector<std::string>& actions) {
  std::vector<Sequence> edits;
  while (edits.size() < count) {
    Sequence child = edited(parent, cut, actions, random_);
    while (random_.chance(kAnotherEditOfFour, 4)) {
      child = edited(std::move(child), std::min(cut, child.size()), actions, random_);
    }
    if (child.size() <= settings_.length && !child.empty()) {
      edits.push_back(std::move(child));
    }
  }
  return edits;
}

std::vector<Sequence> GuidedSearch::next_edits() {
  // The best with chance one half, the next with a quarter, and so on.
  std::size_t rank = 0;
  while (rank + 1 < elite_.size() && random_.chance(1, 2)) {
    ++rank;
  }
  const Sequence& parent = elite_[rank].sequence;
  // Where nothing may be added, something must be left that can be taken out.
  const std::size_t cut = random_.below(std::min(parent.size(), settings_.length - 1) + 1);
  std::vector<Sequence> chosen =
      edits_of(parent, cut, (settings_.width + 1) / 2,
               settings_.others.empty() ? settings_.actions : settings_.others);
  std::vector<Sequence> pool = edits_of(parent, cut, settings_.pool, settings_.actions);
  while (chosen.size() < settings_.width && !pool.empty()) {
    const std::vector<double> worth = opinion(pool);
    const auto best =
        worth.empty() ? std::ptrdiff_t{0} : std::ranges::max_element(worth) - worth.begin();
    chosen.push_back(std::move(pool[static_cast<std::size_t>(best)]));
    pool.erase(pool.begin() + best);
  }
  return chosen;
}

std::vector<Sequence> GuidedSearch::ask() {
  if (asked_members_ < settings_.tried_members && !open_.empty()) {
    asked_ = next_members();
  } else {
    if (elite_.empty()) {
      keep({"default<Oz>"}, settings_.oz);  // all members failed
    }
    asked_ = next_edits();
  }
  return asked_;
}

void GuidedSearch::tell(std::span<const Evaluation> evaluations) {
  for (std::size_t i = 0; i < evaluations.size(); ++i) {
    if (evaluations[i].cost) {
      keep(asked_[i], *evaluations[i].cost);
    }
  }
}

void GuidedSearch::keep(const Sequence& sequence, double cost) {
  const auto same = [&](const RankedSequence& member) { return member.sequence == sequence; };
  if (std::ranges::any_of(elite_, same)) {
    return;
  }
  const auto before = [&](const RankedSequence& member) {
    return member.cost < cost || (member.cost == cost && member.sequence.size() < sequence.size());
  };
  // In front of its equals, so that plateaus are walked along; of one cost only a few.
  const auto place = std::ranges::find_if_not(elite_, before);
  elite_.insert(place, {sequence, cost});
  std::vector<RankedSequence> kept;
  for (RankedSequence& member : elite_) {
    if (kept.size() < kMostOfOneCost || kept[kept.size() - kMostOfOneCost].cost != member.cost) {
      kept.push_back(std::move(member));
    }
  }
  kept.resize(std::min(kept.size(), settings_.elite));
  elite_ = std::move(kept);
}

}  // namespace hone
