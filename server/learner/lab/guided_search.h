// A search that asks trained trees what to try: Thompson sampling over the ensemble.
//
// The members of a portfolio are tried first, by turns the next one in its own order (which was
// found by what members add to each other) and the one that a booster likes best; the rest of the
// time the best sequences so far are edited. Each turn makes a pool of edits of one of them,
// all behind one cut (so that an evaluator that keeps common beginnings applies it once). For each
// place of the batch one booster of the ensemble is drawn, and the edit that it likes best is taken
// (Thompson 1933; a bootstrap ensemble in place of the posterior: Osband and Van Roy, "Bootstrapped
// Thompson sampling and deep exploration", 2015). All of a pool have one parent, whose worth was
// measured: the boosters only order its edits.
//
// The booster's word counts for half of the batch; the other half are edits that were drawn alike
// and may do anything, since the trees know nothing of the order of passes, and of no pass that is
// not among theirs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/random.h"
#include "common/search/sequence_search.h"
#include "server/learner/models/tree_ensemble.h"

namespace hone {

struct GuidedSearchSettings {
  std::vector<Sequence> members;     // of a portfolio; at least one, which need not be the trees'
  std::vector<std::string> actions;  // that the trees count ("taken."), at least one
  std::vector<std::string> others;   // that edits drawn alike may do; empty: the same
  std::vector<float> program;        // its features, in front of the counts
  double oz = 0;                     // what -Oz costs, above 0: the trees predict ln(oz / cost)
  std::size_t width = 8;             // evaluations a turn
  std::size_t tried_members = 256;   // before edits begin, at most
  std::size_t pool = 96;             // edits that are looked at for a turn
  std::size_t elite = 8;             // sequences that are edited
  std::size_t length = 256;          // the most pipelines of a sequence
  std::uint64_t seed = 1;
  // Told once if the trees fail to answer; edits are drawn alike from then on.
  std::function<void(std::string_view)> say = [](std::string_view) {};
};

class GuidedSearch final : public SequenceSearch {
 public:
  // invalid_argument unless program and actions are as many numbers as the trees take.
  static Result<GuidedSearch> create(TreeEnsemble trees, GuidedSearchSettings settings);

  std::vector<Sequence> ask() override;
  void tell(std::span<const Evaluation> evaluations) override;
  void hear(const RankedSequence& found) override { keep(found.sequence, found.cost); }

 private:
  GuidedSearch(TreeEnsemble trees, GuidedSearchSettings settings)
      : trees_(std::move(trees)), settings_(std::move(settings)), random_(settings_.seed) {}

  std::vector<Sequence> next_members();
  std::vector<Sequence> next_edits();
  // So many edits of it, all behind the cut.
  std::vector<Sequence> edits_of(const Sequence& parent, std::size_t cut, std::size_t count,
                                 const std::vector<std::string>& actions);
  // One booster's word for each sequence; nothing if it failed.
  std::vector<double> opinion(const std::vector<Sequence>& sequences);
  void keep(const Sequence& sequence, double cost);

  TreeEnsemble trees_;
  GuidedSearchSettings settings_;
  Random random_;
  std::vector<Sequence> open_;  // members that were not tried
  std::size_t asked_members_ = 0;
  std::vector<RankedSequence> elite_;  // best first
  std::vector<Sequence> asked_;
  bool failed_ = false;  // the trees did
};

}  // namespace hone
