#include "server/learner/knowledge/pair_probes.h"

#include "common/base/random.h"

namespace hone {

std::vector<Sequence> PairProbes::ask() {
  std::vector<Sequence> sequences;
  if (begun_ && firsts_.empty()) {
    return sequences;
  }
  Sequence before = beginning_;
  if (begun_) {
    before.push_back(firsts_.back());
    firsts_.pop_back();
  } else {
    sequences.push_back(before);  // what the others are compared with
  }
  for (const std::string& pass : passes_) {
    sequences.push_back(before);
    sequences.back().push_back(pass);
  }
  return sequences;
}

void PairProbes::tell(std::span<const Evaluation> evaluations) {
  if (begun_) {
    return;
  }
  begun_ = true;
  if (!evaluations.front().cost) {
    return;  // nothing can be said of what is behind a failure
  }
  std::vector<std::string> idle;
  std::vector<std::string> changing;
  for (std::size_t i = 0; i < passes_.size(); ++i) {
    const Evaluation& evaluation = evaluations[i + 1];
    if (evaluation.cost) {
      (evaluation.cost == evaluations.front().cost ? idle : changing).push_back(passes_[i]);
    }
  }
  Random random(seed_);
  random.shuffle(idle);
  random.shuffle(changing);
  firsts_ = std::move(idle);
  firsts_.insert(firsts_.end(), changing.begin(), changing.end());
}

}  // namespace hone
