// The next candidate set of a campaign, and its finalists, from what was tried so far.
//
// Parents are the trials of the highest expected worth (EffectModel), variants of them the set that
// is chosen from (make_variants). A variant's weight is 1 and 8 for every one of 400 draws in which
// it is the best of all and 0.2 % better than every parent: Thompson's sampling (1933), with a
// known probability. Then the candidates are drawn one after the other without replacement, p = w_i
// / sum of the w left, so that the propensities are exact given the set. A variant that has all of
// what a failed trial had is left out. What a canary withdrew is neither a parent nor a finalist,
// and what does the same is left out; what a canary put in force is the first parent. Of the last
// set at most half are the most promising trial with one part less each, which are certain. A
// function of its input. Thread safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/protocol/candidate.h"
#include "server/learner/proposing/effect_model.h"
#include "server/learner/proposing/variants.h"

namespace hone {

struct ProposalSpec {
  std::uint64_t seed = 1;  // of this set
  std::size_t count = 8;   // candidates, 1 to kMaxCandidates
  VariantSpec variants;
  std::vector<std::string> levels = {"O3"};  // which compiles the rules tune
  std::vector<TargetTrials> others;          // what was tried on other targets
  bool last = false;                         // the budget allows no other set behind this one
};

// not_found if there is nothing left to be tried; invalid_argument for a count out of its range.
Result<CandidateSet> propose(const ProposalSpec& spec, std::span<const Trial> trials);

// Which trials to confirm, best first: those of the highest expected worth above 0, at most
// kMaxFinalists. Perhaps none. Of trials that share one measurement (equal binaries) the one with
// the fewest parts stands for all: fewer passes for the same program.
std::vector<std::string> choose_finalists(const ProposalSpec& spec, std::span<const Trial> trials);

}  // namespace hone
