#include "common/search/random_search.h"

namespace hone {

std::vector<Sequence> RandomSearch::ask() {
  std::vector<Sequence> sequences(width_);
  for (Sequence& sequence : sequences) {
    for (std::uint64_t left = 1 + random_.below(length_); left > 0; --left) {
      sequence.push_back(actions_[random_.below(actions_.size())]);
    }
  }
  return sequences;
}

}  // namespace hone
