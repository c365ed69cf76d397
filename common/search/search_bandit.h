// Several searches under one budget: a bandit gives each turn to one of them, in OpenTuner's manner
// (Ansel et al., "OpenTuner: an extensible framework for program autotuning", PACT 2014).
//
// Of the last `window` evaluations it is known which search asked for each and whether it was the
// best until then. A search's credit is the area under the curve that goes up by one where it found
// a new best and goes straight on where not (Fialho, Da Costa, Schoenauer and Sebag, 2010):
//
//   AUC = 2 / (n (n + 1)) * sum over its n evaluations i = 1 (oldest) ... n of i * [new best]
//
// so that a late success counts for more than an early one. The search with the most AUC +
// exploration * sqrt(2 ln(all) / n) has the turn; one that was never asked comes first. A new best
// is told to the others (hear()), as OpenTuner's techniques share what they know.
#pragma once

#include <cstddef>
#include <deque>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "common/search/sequence_search.h"

namespace hone {

struct BanditArm {
  std::string name;
  std::unique_ptr<SequenceSearch> search;
};

// OpenTuner's own values.
struct SearchBanditSettings {
  std::size_t window = 500;
  double exploration = 0.05;
};

class SearchBandit final : public SequenceSearch {
 public:
  // At least one arm.
  explicit SearchBandit(std::vector<BanditArm> arms, SearchBanditSettings settings = {});

  // Nothing once all arms are at their end.
  std::vector<Sequence> ask() override;
  void tell(std::span<const Evaluation> evaluations) override;
  void hear(const RankedSequence& found) override;

  struct ArmCredit {
    double auc = 0;
    std::size_t evaluations = 0;  // within the window
  };
  // In the order of the arms.
  std::vector<ArmCredit> credits() const;

 private:
  struct Use {
    std::size_t arm = 0;
    bool was_best = false;
  };
  std::size_t next_arm() const;

  std::vector<BanditArm> arms_;
  SearchBanditSettings settings_;
  std::vector<bool> ended_;
  std::deque<Use> uses_;
  double best_ = std::numeric_limits<double>::infinity();
  std::size_t turn_ = 0;  // whose batch is under way
  std::vector<Sequence> asked_;
};

}  // namespace hone
