#include "server/learner/lab/sequence_edit.h"

#include <algorithm>

namespace hone {

Sequence edited(Sequence sequence, std::size_t cut, const std::vector<std::string>& actions,
                Random& random) {
  const std::size_t left = sequence.size() - cut;
  const std::uint64_t edit = sequence.size() > 1 && left > 0 ? random.below(3) : 0;
  const auto at = static_cast<std::ptrdiff_t>(cut + random.below(left + (edit == 0 ? 1 : 0)));
  const std::string& action = actions[random.below(actions.size())];
  if (edit == 0) {
    sequence.insert(sequence.begin() + at, action);
  } else if (edit == 1) {
    sequence.erase(sequence.begin() + at);
  } else {
    sequence[static_cast<std::size_t>(at)] = action;
  }
  return sequence;
}

std::vector<float> taken(const Sequence& sequence, const std::vector<std::string>& actions) {
  std::vector<float> counts;
  counts.reserve(actions.size());
  for (const std::string& action : actions) {
    counts.push_back(static_cast<float>(std::ranges::count(sequence, action)));
  }
  return counts;
}

}  // namespace hone
