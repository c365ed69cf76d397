// Climbing from several good sequences at once: the best that were seen (the elite) are changed by
// edits of many kinds, and what is better takes its place among them.
//
// All children of a turn share their parent's beginning up to a cut that is drawn first, so that an
// evaluator that keeps common beginnings (SessionEvaluator) applies it once. Kinds of edits that
// led to an improvement are drawn more often (a bandit over operators, as in OpenTuner's AUC
// credit: Ansel et al., PACT 2014, here by plain success counts with a floor).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/random.h"
#include "common/pipelines/successor_weights.h"
#include "common/search/sequence_search.h"

namespace hone {

struct EliteClimbSettings {
  std::vector<std::string> actions;   // what may be inserted; at least one
  std::vector<Sequence> start;        // evaluated first if nothing is known; at least one then
  std::vector<RankedSequence> known;  // evaluated before
  std::size_t width = 8;              // evaluations a turn
  std::size_t elite = 8;              // sequences that are kept
  std::size_t length = 256;           // the most pipelines of a sequence
  int llvm_major = 19;
  std::uint64_t seed = 1;
  std::shared_ptr<const SuccessorWeights> successors;  // null: actions are drawn alike
};

class EliteClimb final : public SequenceSearch {
 public:
  explicit EliteClimb(EliteClimbSettings settings);

  std::vector<Sequence> ask() override;
  void tell(std::span<const Evaluation> evaluations) override;
  void hear(const RankedSequence& found) override { keep(found.sequence, found.cost); }

 private:
  enum class Edit : std::uint8_t { insert, remove, replace, swap, inside, splice };
  static constexpr std::size_t kEdits = 6;
  struct Child {
    Sequence sequence;
    std::optional<Edit> edit;  // nothing for the start
    double parent_cost = 0;
  };

  const RankedSequence& parent();
  Edit draw_edit();
  // `sequence` changed at or behind the cut.
  Sequence changed(const Sequence& sequence, Edit edit, std::size_t cut);
  Sequence spliced(const Sequence& sequence, std::size_t cut);
  // What to put behind the first `place` pipelines; `uniform` is what is taken without weights.
  const std::string& action(const Sequence& sequence, std::size_t place, std::size_t uniform);
  const PassEnds& ends_of(const std::string& pipeline);
  void keep(const Sequence& sequence, double cost);

  EliteClimbSettings settings_;
  Random random_;
  std::vector<RankedSequence> elite_;  // best first
  std::vector<Child> asked_;
  std::array<std::uint64_t, kEdits> successes_{};
  std::vector<std::string> names_;        // the first pass of each action
  std::map<std::string, PassEnds> ends_;  // of pipelines that were looked at
};

}  // namespace hone
